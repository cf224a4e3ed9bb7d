import type { X509Certificate } from 'node:crypto';
import {
  InvalidCredentials,
  type Authenticated,
  type PresentedCredentials,
  type TokenAuthenticator,
} from './authenticator.ts';

/** For tests: a request's headers, from `[name, value]` pairs. */
export function presented(
  pairs: readonly (readonly [name: string, value: string])[] = [],
  certificate?: X509Certificate,
): PresentedCredentials & { readonly headers: Record<string, string | undefined>; readonly warnings: string[] } {
  let left = pairs.map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of left) headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  const warnings: string[] = [];
  const removeHeaders = (matches: (name: string) => boolean): void => {
    left = left.filter(([name]) => !matches(name));
    for (const name of Object.keys(headers)) if (matches(name)) delete headers[name];
  };
  return {
    headers,
    warnings,
    warn: (text) => void warnings.push(text),
    headerValues: (name) => left.filter(([n]) => n === name.toLowerCase()).map(([, value]) => value),
    headersWith: (prefix) =>
      new Map(
        left
          .filter(([n]) => n.startsWith(prefix))
          .map(([found]) => [found, left.filter(([n]) => n === found).map(([, value]) => value)]),
      ),
    removeHeader: (name) => removeHeaders((other) => other === name),
    removeHeaders,
    replaceHeader(name, value) {
      removeHeaders((other) => other === name);
      left.push([name, value]);
      headers[name] = value;
    },
    clientCertificate: () => certificate,
  };
}

/** For tests: knows some tokens, refuses those that begin with `bad`, throws for those that begin with `down`. */
export function knownTokens(
  users: Readonly<Record<string, string>>,
): TokenAuthenticator & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'Known',
    asked,
    async authenticateToken(token): Promise<Authenticated | undefined> {
      asked.push(token);
      if (token.startsWith('bad')) throw new InvalidCredentials('a bad token');
      if (token.startsWith('down')) throw new Error('out of reach');
      return Object.hasOwn(users, token) ? { user: { name: users[token]!, groups: [] } } : undefined;
    },
  };
}
