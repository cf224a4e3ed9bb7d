import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { KeyPair } from './listener-tls.ts';
import { readPemFile, understand } from './read-pem-file.ts';

/** Paths of a certificate, with those of its authorities after it, and of its private key. */
export interface KeyPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Reads a pair. Throws an Error that says which file is wrong and why, or that the two do not belong together. */
export function readKeyPair({ certFile, keyFile }: KeyPairFiles): KeyPair {
  const cert = readPemFile(certFile);
  const key = readPemFile(keyFile);
  const leaf = understand(certFile, 'holds no PEM certificate', () => new X509Certificate(cert));
  const privateKey = understand(keyFile, 'holds no PEM private key, or one that needs a passphrase', () =>
    createPrivateKey(key),
  );
  if (!leaf.checkPrivateKey(privateKey))
    throw new Error(`${keyFile}: is not the private key of the certificate in ${certFile}`);
  // Also reads what stands after the first certificate, and refuses keys that are too weak for TLS.
  understand(certFile, 'cannot be used', () => createSecureContext({ cert, key }));
  return { cert, key };
}
