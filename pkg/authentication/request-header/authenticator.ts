import type { X509Certificate } from 'node:crypto';
import { setKey } from '../../apimachinery/json/own-keys.ts';
import {
  InvalidCredentials,
  type Authenticated,
  type PresentedCredentials,
  type RequestAuthenticator,
} from '../authenticator.ts';
import type { VerifiedCertificate } from '../client-certificate/certificate-verifier.ts';

export interface RequestHeaderSettings {
  /** Headers with the user's name; the first one that is not empty counts. */
  readonly usernameHeaders: readonly string[];
  /** Headers with groups; all values of all of them count. */
  readonly groupHeaders: readonly string[];
  /** Prefixes of headers with extra fields of the user; the rest of a header's name is the key. */
  readonly extraPrefixes: readonly string[];
  /** Common names of the certificates of proxies; none: any. */
  readonly allowedNames: readonly string[];
  /** Verifies the certificates of proxies. Throws `InvalidCredentials`. */
  readonly verify: (certificate: X509Certificate) => VerifiedCertificate;
}

/**
 * The user that a proxy in front names. Its headers are trusted only on a connection with a certificate of the proxies'
 * authority: without one they are nothing but text. Used headers are removed.
 */
export function requestHeaderAuthenticator(settings: RequestHeaderSettings): RequestAuthenticator {
  const usernameHeaders = lowercase(settings.usernameHeaders);
  const groupHeaders = lowercase(settings.groupHeaders);
  const extraPrefixes = lowercase(settings.extraPrefixes);
  return {
    name: 'RequestHeader',
    authenticate(credentials): Authenticated | undefined {
      const certificate = credentials.clientCertificate();
      if (certificate === undefined) return undefined;
      checkName(settings.verify(certificate), settings.allowedNames);
      const name = usernameHeaders
        .map((header) => credentials.headerValues(header)[0] ?? '')
        .find((value) => value !== '');
      if (name === undefined) return undefined;
      const groups = groupHeaders.flatMap((header) => credentials.headerValues(header)).filter((value) => value !== '');
      const extra = extraOf(credentials, extraPrefixes);
      credentials.removeHeaders(
        (header) =>
          usernameHeaders.includes(header) ||
          groupHeaders.includes(header) ||
          extraPrefixes.some((prefix) => header.startsWith(prefix)),
      );
      return { user: { name, groups, ...(Object.keys(extra).length === 0 ? {} : { extra }) } };
    },
  };
}

function lowercase(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

function checkName({ commonName }: VerifiedCertificate, allowed: readonly string[]): void {
  if (allowed.length > 0 && !allowed.includes(commonName))
    throw new InvalidCredentials('the certificate is of no proxy that is allowed');
}

function extraOf(credentials: PresentedCredentials, prefixes: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const prefix of prefixes) {
    for (const [header, values] of credentials.headersWith(prefix))
      addExtra(extra, unescapeKey(header.slice(prefix.length)), values);
  }
  return extra;
}

/** Adds values to those of a key, which several headers may spell in several ways. */
export function addExtra(extra: Record<string, string[]>, key: string, values: readonly string[]): void {
  if (!Object.hasOwn(extra, key)) setKey(extra, key, []);
  for (const value of values) extra[key]!.push(value);
}

/** Keys may hold characters that headers may not, percent-encoded; an invalid encoding is taken literally. */
export function unescapeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded: stock servers take the key literally as well.
    return text;
  }
}
