import type { Authenticated, TokenAuthenticator } from './authenticator.ts';

/** What both lists name, in the order of the first. */
export function commonAudiences(first: readonly string[], second: readonly string[]): readonly string[] {
  return first.filter((audience) => second.includes(audience));
}

/**
 * Lets tokens that know no audiences be good for those of this server alone: one that is asked for another audience is
 * not looked at. Says for which of those asked for it is good.
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
