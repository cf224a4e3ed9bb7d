import { X509Certificate } from 'node:crypto';

/** Something offered under patterns given by hand, or, without any, under the names of its certificate. */
export interface Named<T> {
  readonly patterns: readonly string[];
  /** PEM. */
  readonly cert: string;
  readonly value: T;
}

/**
 * Finds what is offered under a name. Exact names win over wildcards, patterns given by hand over names in
 * certificates, earlier items over later ones. A wildcard stands for one label; `*.*.example.com` for two.
 */
export function serverNames<T>(items: readonly Named<T>[]): (name: string) => T | undefined {
  const byName = new Map<string, T>();
  // The last entry of a name stays.
  for (const { cert, value } of items.filter((item) => item.patterns.length === 0).toReversed())
    for (const name of certificateNames(cert)) byName.set(name, value);
  for (const { patterns, value } of items.toReversed())
    for (const pattern of patterns) byName.set(canonical(pattern), value);
  return (asked) => {
    const labels = canonical(asked).split('.');
    for (let stars = 0; stars <= labels.length; stars++) {
      const found = byName.get([...labels.slice(0, stars).fill('*'), ...labels.slice(stars)].join('.'));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

const DNS_NAME = /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/;

/**
 * DNS names of the certificate, and its common name where it is one. Addresses of it are left out: clients must not ask
 * for them (RFC 6066, 3).
 */
function certificateNames(pem: string): readonly string[] {
  const { subjectAltName = '', subject } = new X509Certificate(pem);
  const alternatives = subjectAltName
    .split(', ')
    .flatMap((entry) => (entry.startsWith('DNS:') ? [canonical(entry.slice('DNS:'.length))] : []));
  const common = /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
  return [canonical(common), ...alternatives].filter((name) => DNS_NAME.test(name));
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/\.+$/, '');
}
