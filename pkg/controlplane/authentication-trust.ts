import { readFileSync } from 'node:fs';
import type { AuthenticationConfig } from '../authentication/authentication-config.ts';
import type { AuthenticationTrust } from '../controllers/cluster-authentication-trust/trust.ts';

/** Whom the server believes, by its options and by what their files hold now. Throws where one cannot be read. */
export function authenticationTrust({ clientAuthorityFile, requestHeader }: AuthenticationConfig): AuthenticationTrust {
  return {
    ...(clientAuthorityFile === undefined ? {} : { clientCa: readFileSync(clientAuthorityFile, 'utf8') }),
    ...(requestHeader === undefined
      ? {}
      : {
          requestHeader: {
            ca: readFileSync(requestHeader.authorityFile, 'utf8'),
            usernameHeaders: requestHeader.usernameHeaders,
            groupHeaders: requestHeader.groupHeaders,
            extraHeaderPrefixes: requestHeader.extraPrefixes,
            allowedNames: requestHeader.allowedNames,
          },
        }),
  };
}
