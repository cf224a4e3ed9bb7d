import { readFileSync } from 'node:fs';
import type { AuthenticationTrust } from '../controllers/cluster-authentication-trust/trust.ts';
import type { OptionValues } from '../options/option.ts';

/** Whom the server believes, by its options and by what their files hold now. Throws where one cannot be read. */
export function authenticationTrust(options: OptionValues): AuthenticationTrust {
  const clientCaFile = options.string('client-ca-file');
  const proxyCaFile = options.string('requestheader-client-ca-file');
  return {
    ...(clientCaFile === '' ? {} : { clientCa: readFileSync(clientCaFile, 'utf8') }),
    ...(proxyCaFile === ''
      ? {}
      : {
          requestHeader: {
            ca: readFileSync(proxyCaFile, 'utf8'),
            usernameHeaders: options.list('requestheader-username-headers'),
            groupHeaders: options.list('requestheader-group-headers'),
            extraHeaderPrefixes: options.list('requestheader-extra-headers-prefix'),
            allowedNames: options.list('requestheader-allowed-names'),
          },
        }),
  };
}
