import { readText, type AuthenticationSettings, type OptionFiles } from '../authentication-settings.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { readAuthorities } from '../client-certificate/authorities.ts';
import { oidcAuthenticator } from './authenticator.ts';

/** The configured issuer; undefined for none. */
export function buildOidc(
  { options, nowMs }: AuthenticationSettings,
  files: OptionFiles,
): TokenAuthenticator | undefined {
  const ca = files.use('oidc-ca-file', readBundle);
  const issuer = options.string('oidc-issuer-url');
  if (issuer === '') return undefined;
  const algorithms = options.list('oidc-signing-algs');
  return oidcAuthenticator({
    issuer,
    clientId: options.string('oidc-client-id'),
    ca,
    usernameClaim: options.string('oidc-username-claim'),
    usernamePrefix: options.string('oidc-username-prefix'),
    groupsClaim: options.string('oidc-groups-claim'),
    groupsPrefix: options.string('oidc-groups-prefix'),
    requiredClaims: options.pairs('oidc-required-claim'),
    signingAlgorithms: algorithms.length === 0 ? ['RS256'] : algorithms,
    nowMs,
  });
}

/** PEM, checked to be readable. */
function readBundle(file: string): string {
  const pem = readText(file);
  readAuthorities(pem);
  return pem;
}
