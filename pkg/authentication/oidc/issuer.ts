import { InvalidCredentials } from '../authenticator.ts';
import { checkTimes, textClaim, textsClaim } from '../jwt/claims.ts';
import type { Claims, JsonWebToken } from '../jwt/json-web-token.ts';
import { IssuerKeys, type IssuerKeysSettings } from './issuer-keys.ts';

export interface IssuerSettings extends IssuerKeysSettings {
  /** The audience that tokens must name. */
  readonly clientId: string;
  /** Of RFC 7518, 3.1. */
  readonly signingAlgorithms: readonly string[];
}

/** One trusted OpenID issuer. */
export class Issuer {
  private readonly settings: IssuerSettings;
  private readonly keys: IssuerKeys;

  constructor(settings: IssuerSettings) {
    this.settings = settings;
    this.keys = new IssuerKeys(settings);
  }

  /**
   * Checks algorithm, audience, times and signature of a token that names this issuer. Throws `InvalidCredentials`;
   * another Error when the issuer cannot be reached.
   */
  async check(token: JsonWebToken): Promise<void> {
    const { clientId, signingAlgorithms, nowMs } = this.settings;
    if (!signingAlgorithms.includes(token.algorithm))
      throw new InvalidCredentials('the identity token is signed with an algorithm that is not allowed');
    if (textsClaim(token.claims, 'aud')?.includes(clientId) !== true)
      throw new InvalidCredentials('the identity token is for another client');
    // As in stock servers: the issuer's choice of the end allows for clock differences.
    checkTimes(token.claims, nowMs(), 0);
    if (!(await this.keys.signed(token)))
      throw new InvalidCredentials('no key of the issuer signed the identity token');
  }
}

/** One issuer names itself without the scheme in some of its tokens. */
const WITHOUT_SCHEME: ReadonlyMap<string, string> = new Map([['accounts.google.com', 'https://accounts.google.com']]);

/** The issuer that a token names, not verified; undefined where it names none. */
export function namedIssuer(claims: Claims): string | undefined {
  const issuer = textClaim(claims, 'iss');
  return issuer === undefined ? undefined : (WITHOUT_SCHEME.get(issuer) ?? issuer);
}
