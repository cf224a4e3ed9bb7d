import { InvalidCredentials, type Authenticated, type PresentedCredentials, type RequestAuthenticator, type TokenAuthenticator } from './authenticator.ts';

const none: readonly string[] = [];

/** Looks at the `Authorization: Bearer` header with a token authenticator; a token that it does not know is a bad one. */
export function bearerTokenAuthenticator(tokens: TokenAuthenticator): RequestAuthenticator {
  return {
    name: 'BearerToken',
    authenticate(credentials) {
      const token = bearerToken(credentials.headers.authorization ?? '');
      return token === '' ? undefined : check(tokens, token, credentials);
    },
  };
}

async function check(tokens: TokenAuthenticator, token: string, credentials: PresentedCredentials): Promise<Authenticated> {
  const known = await tokens.authenticateToken(token, none);
  if (known === undefined) throw new InvalidCredentials('nobody knows the bearer token');
  credentials.removeHeaders((name) => name === 'authorization');
  return known;
}

/** The token of a header's value; empty where it holds none. */
function bearerToken(header: string): string {
  return /^\s*bearer (.*)$/i.exec(header)?.[1]!.trim() ?? '';
}
