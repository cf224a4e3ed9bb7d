import type { X509Certificate } from 'node:crypto';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { RequestAuthenticator } from '../authenticator.ts';
import type { VerifiedCertificate } from './certificate-verifier.ts';

/**
 * The user of the connection's certificate: the common name is the user, organizations are groups. `verify` throws
 * `InvalidCredentials`; `onUse` is called with each valid certificate.
 */
export function clientCertificateAuthenticator(
  verify: (certificate: X509Certificate) => VerifiedCertificate,
  onUse: (verified: VerifiedCertificate) => void,
): RequestAuthenticator {
  // The same object for the same certificate: later steps compare users by identity.
  const users = new WeakMap<VerifiedCertificate, UserInfo>();
  return {
    name: 'ClientCertificate',
    authenticate(credentials) {
      const certificate = credentials.clientCertificate();
      if (certificate === undefined) return undefined;
      const verified = verify(certificate);
      onUse(verified);
      if (verified.commonName === '') return undefined;
      let user = users.get(verified);
      if (user === undefined) users.set(verified, (user = userOf(verified)));
      return { user };
    },
  };
}

function userOf({ commonName, organizations, fingerprint }: VerifiedCertificate): UserInfo {
  return {
    name: commonName,
    groups: organizations,
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
  };
}
