import type { RequestAuthenticator, TokenAuthenticator } from './authenticator.ts';

const none: readonly string[] = [];

/** Looks at the `Authorization: Bearer` header with a token authenticator. */
export function bearerTokenAuthenticator(tokens: TokenAuthenticator): RequestAuthenticator {
  return {
    name: tokens.name,
    authenticate({ headers }) {
      const header = headers.authorization ?? '';
      if (!/^bearer /i.test(header)) return undefined;
      const token = header.slice(7).trim();
      return token === '' ? undefined : tokens.authenticateToken(token, none);
    },
  };
}
