import type { X509Certificate } from 'node:crypto';
import type { RequestAuthenticator } from '../authenticator.ts';
import type { VerifiedCertificate } from './certificate-verifier.ts';

/** Whom the certificate of the connection names: the common name is the user, organizations are groups. `verify` throws `InvalidCredentials`. */
export function clientCertificateAuthenticator(verify: (certificate: X509Certificate) => VerifiedCertificate): RequestAuthenticator {
  return {
    name: 'ClientCertificate',
    authenticate(credentials) {
      const certificate = credentials.clientCertificate();
      if (certificate === undefined) return undefined;
      const { commonName, organizations } = verify(certificate);
      return commonName === '' ? undefined : { user: { name: commonName, groups: organizations } };
    },
  };
}
