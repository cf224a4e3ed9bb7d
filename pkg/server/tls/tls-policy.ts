import { DEFAULT_CIPHERS } from 'node:tls';
import type { SecureVersion } from 'node:tls';
import { openSslCipher } from '../../options/cipher-suites.ts';
import type { OptionValues } from '../../options/option.ts';

/** Versions and suites spoken, in the form of `tls.createSecureContext`. */
export interface TlsPolicy {
  readonly minVersion: SecureVersion;
  readonly ciphers: string;
}

const versions = new Map<string, SecureVersion>([
  ['VersionTLS10', 'TLSv1'],
  ['VersionTLS11', 'TLSv1.1'],
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);

const isTls13 = (suite: string): boolean => suite.startsWith('TLS_');

/**
 * `--tls-min-version` and `--tls-cipher-suites`. Suites of TLS 1.3 are chosen by naming them; a list that names none of
 * them says nothing of TLS 1.3, as in stock servers, where the option is about older versions alone.
 */
export function tlsPolicy(options: OptionValues): TlsPolicy {
  const minVersion = versions.get(options.string('tls-min-version')) ?? 'TLSv1.2';
  const named = options.list('tls-cipher-suites').flatMap((suite) => openSslCipher(suite) ?? []);
  const runtime = DEFAULT_CIPHERS.split(':');
  const suites = named.length === 0 ? runtime : [...(named.some(isTls13) ? [] : runtime.filter(isTls13)), ...named];
  // OpenSSL 3 speaks what is older than TLS 1.2 at its lowest level of security only: their signatures are made with
  // SHA-1.
  const level = minVersion === 'TLSv1' || minVersion === 'TLSv1.1' ? ['@SECLEVEL=0'] : [];
  return { minVersion, ciphers: [...suites, ...level].join(':') };
}
