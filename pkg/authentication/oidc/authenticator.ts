import { getKey } from '../../apimachinery/json/own-keys.ts';
import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../authenticator.ts';
import { textClaim, textsClaim } from '../jwt/claims.ts';
import { parseJsonWebToken, type Claims } from '../jwt/json-web-token.ts';
import { DistributedClaim } from './distributed-claims.ts';
import { Issuer, namedIssuer, type IssuerSettings } from './issuer.ts';

/** The eleven options of OpenID issuers, one field each except for the CA file, which is read. */
export interface OidcSettings extends IssuerSettings {
  readonly usernameClaim: string;
  /** Empty: the issuer and `#`, or nothing for the claim `email`; `-`: nothing. */
  readonly usernamePrefix: string;
  /** Empty: no groups. */
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  readonly requiredClaims: ReadonlyMap<string, string>;
}

/** Identity tokens of an OpenID issuer. */
export function oidcAuthenticator(settings: OidcSettings): TokenAuthenticator {
  const issuer = new Issuer(settings);
  const groups = settings.groupsClaim === '' ? undefined : new DistributedClaim(settings.groupsClaim, settings);
  const prefix = usernamePrefix(settings);
  return {
    name: 'OIDC',
    async authenticateToken(token): Promise<Authenticated | undefined> {
      const parsed = parseJsonWebToken(token);
      if (parsed === undefined || namedIssuer(parsed.claims) !== settings.issuer) return undefined;
      await issuer.check(parsed);
      const claims = (await groups?.expand(parsed.claims)) ?? parsed.claims;
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
  // An address that its issuer marks as not verified may belong to another person; an issuer without the mark confirms
  // all.
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims.email_verified !== true)
    throw new InvalidCredentials('the email of the identity token is not verified');
  return name;
}

function groupsOf(claims: Claims, { groupsClaim, groupsPrefix }: OidcSettings): readonly string[] {
  if (groupsClaim === '') return [];
  const groups = textsClaim(claims, groupsClaim);
  if (groups === undefined)
    throw new InvalidCredentials(
      `the claim ${groupsClaim} of the identity token is neither a text nor a list of texts`,
    );
  return groups.map((group) => groupsPrefix + group);
}

function checkRequired(claims: Claims, required: ReadonlyMap<string, string>): void {
  for (const [claim, value] of required) {
    if (getKey(claims, claim) !== value)
      throw new InvalidCredentials(`the claim ${claim} of the identity token is not as required`);
  }
}
