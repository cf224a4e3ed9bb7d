import type { Authenticated, TokenAuthenticator } from './authenticator.ts';

/** The intersection, in the order of the first list. */
export function commonAudiences(first: readonly string[], second: readonly string[]): readonly string[] {
  return first.filter((audience) => second.includes(audience));
}

/**
 * Limits tokens without audiences to those of this server: for another requested audience the token is not checked.
 * Returns the requested audiences for which it is valid.
 */
export function forAudiences(own: readonly string[], tokens: TokenAuthenticator): TokenAuthenticator {
  return {
    name: tokens.name,
    authenticateToken(token, audiences) {
      if (audiences.length === 0) return tokens.authenticateToken(token, audiences);
      const common = commonAudiences(own, audiences);
      return common.length === 0 ? undefined : check(tokens, token, audiences, common);
    },
  };
}

async function check(
  tokens: TokenAuthenticator,
  token: string,
  audiences: readonly string[],
  common: readonly string[],
): Promise<Authenticated | undefined> {
  const known = await tokens.authenticateToken(token, audiences);
  return known === undefined ? undefined : { ...known, audiences: common };
}
