import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** Where distributions keep the authorities that a host trusts. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

// Process-wide: the host and the environment are those of the process.
let known: readonly string[] | undefined;

/**
 * PEM of the authorities that this host trusts, read once; the runtime's own where the host has none. `SSL_CERT_FILE`
 * names another bundle.
 */
export function hostRoots(): string[] {
  known ??= readBundle([process.env.SSL_CERT_FILE ?? '', ...BUNDLES]) ?? rootCertificates;
  return [...known];
}

function readBundle(files: readonly string[]): readonly string[] | undefined {
  for (const file of files) {
    if (file === '') continue;
    try {
      return [readFileSync(file, 'utf8')];
    } catch {
      // Another distribution's place.
    }
  }
  return undefined;
}
