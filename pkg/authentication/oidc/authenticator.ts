import { getKey } from '../../apimachinery/own-keys.ts';
import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../authenticator.ts';
import { checkTimes, textClaim, textsClaim } from '../jwt/claims.ts';
import { parseJsonWebToken, type Claims } from '../jwt/json-web-token.ts';
import { IssuerKeys } from './issuer-keys.ts';

/** The eleven options of OpenID issuers, one field each but for the CA file, which is read. */
export interface OidcSettings {
  /** HTTPS; tokens and the discovery document name it letter by letter. */
  readonly issuer: string;
  readonly clientId: string;
  /** PEM; absent: the host's authorities. */
  readonly ca?: string;
  readonly usernameClaim: string;
  /** Empty: the issuer and `#`, but for the claim `email` nothing; `-`: nothing. */
  readonly usernamePrefix: string;
  /** Empty: no groups. */
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  readonly requiredClaims: ReadonlyMap<string, string>;
  /** Of RFC 7518, 3.1. */
  readonly signingAlgorithms: readonly string[];
  readonly nowMs: () => number;
}

/** Identity tokens of an OpenID issuer. */
export function oidcAuthenticator(settings: OidcSettings): TokenAuthenticator {
  const keys = new IssuerKeys(settings);
  const prefix = usernamePrefix(settings);
  return {
    name: 'OIDC',
    async authenticateToken(token): Promise<Authenticated | undefined> {
      const parsed = parseJsonWebToken(token);
      if (parsed === undefined || textClaim(parsed.claims, 'iss') !== settings.issuer) return undefined;
      const { claims } = parsed;
      if (!settings.signingAlgorithms.includes(parsed.algorithm)) throw new InvalidCredentials('the identity token is signed with an algorithm that is not allowed');
      if (textsClaim(claims, 'aud')?.includes(settings.clientId) !== true) throw new InvalidCredentials('the identity token is for another client');
      checkTimes(claims, settings.nowMs());
      if (!(await keys.signed(parsed))) throw new InvalidCredentials('no key of the issuer signed the identity token');
      checkRequired(claims, settings.requiredClaims);
      return { user: { name: prefix + username(claims, settings.usernameClaim), groups: groupsOf(claims, settings) } };
    },
  };
}

function usernamePrefix({ issuer, usernameClaim, usernamePrefix: given }: OidcSettings): string {
  if (given === '-') return '';
  return given === '' && usernameClaim !== 'email' ? `${issuer}#` : given;
}

function username(claims: Claims, claim: string): string {
  const name = textClaim(claims, claim) ?? '';
  if (name === '') throw new InvalidCredentials(`the claim ${claim} of the identity token is no user name`);
  // An address that its issuer knows not to be verified may be anybody's; an issuer that says nothing vouches for all.
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims.email_verified !== true) throw new InvalidCredentials('the email of the identity token is not verified');
  return name;
}

function groupsOf(claims: Claims, { groupsClaim, groupsPrefix }: OidcSettings): readonly string[] {
  if (groupsClaim === '') return [];
  const groups = textsClaim(claims, groupsClaim);
  if (groups === undefined) throw new InvalidCredentials(`the claim ${groupsClaim} of the identity token is neither a text nor a list of texts`);
  return groups.map((group) => groupsPrefix + group);
}

function checkRequired(claims: Claims, required: ReadonlyMap<string, string>): void {
  for (const [claim, value] of required) {
    if (getKey(claims, claim) !== value) throw new InvalidCredentials(`the claim ${claim} of the identity token is not as required`);
  }
}
