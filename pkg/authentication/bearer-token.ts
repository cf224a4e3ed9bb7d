import {
  InvalidCredentials,
  type Authenticated,
  type PresentedCredentials,
  type RequestAuthenticator,
  type TokenAuthenticator,
} from './authenticator.ts';

const none: readonly string[] = [];

const ASCII = /^[\0-\x7f]*$/;
const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Checks the `Authorization: Bearer` header with a token authenticator; an unknown token is invalid. */
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

/** Beyond ASCII the runtime's own `headers` hold a character of each byte; tokens are sent in UTF-8. */
function tokenIn(credentials: PresentedCredentials): string | undefined {
  const sent = credentials.headers.authorization ?? '';
  const text = ASCII.test(sent) ? sent : (credentials.headerValues('authorization')[0] ?? '');
  return /^bearer (.+)$/i.exec(text.trim())?.[1];
}

async function check(
  tokens: TokenAuthenticator,
  token: string,
  credentials: PresentedCredentials,
): Promise<Authenticated> {
  const known = await tokens.authenticateToken(token, none);
  if (known === undefined) throw new InvalidCredentials('unknown bearer token');
  credentials.removeHeader('authorization');
  return known;
}
