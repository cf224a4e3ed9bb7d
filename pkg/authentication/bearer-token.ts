import { InvalidCredentials, type Authenticated, type PresentedCredentials, type RequestAuthenticator, type TokenAuthenticator } from './authenticator.ts';

const none: readonly string[] = [];

const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Looks at the `Authorization: Bearer` header with a token authenticator; a token that it does not know is a bad one. */
export function bearerTokenAuthenticator(tokens: TokenAuthenticator): RequestAuthenticator {
  return {
    name: 'BearerToken',
    authenticate(credentials) {
      const token = tokenIn(credentials);
      if (token === undefined) return undefined;
      if (!token.startsWith(' ')) return check(tokens, token, credentials);
      credentials.warn(EXTRA_SPACE);
      return undefined;
    },
  };
}

function tokenIn(credentials: PresentedCredentials): string | undefined {
  const sent = (credentials.headers.authorization ?? '').trim();
  const plain = /^bearer ([\x20-\x7e]+)$/i.exec(sent)?.[1];
  if (plain !== undefined || !/^bearer ./i.test(sent)) return plain;
  // Beyond ASCII the runtime's own `headers` hold a character of each byte; the token was sent in UTF-8.
  return /^bearer (.+)$/i.exec((credentials.headerValues('authorization')[0] ?? '').trim())?.[1];
}

async function check(tokens: TokenAuthenticator, token: string, credentials: PresentedCredentials): Promise<Authenticated> {
  const known = await tokens.authenticateToken(token, none);
  if (known === undefined) throw new InvalidCredentials('nobody knows the bearer token');
  credentials.removeHeader('authorization');
  return known;
}
