import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { FileFields } from './cluster-config-fields.ts';

/** What a client shows of itself; never more than one of token and password. */
export interface ClientCredentials {
  /** PEM: the certificate, then those that link it to its authority. Comes with `key`. */
  readonly certificate?: string;
  /** PEM. */
  readonly key?: string;
  readonly token?: string;
  /** Holds a token that may change; wins over `token`. */
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
}

/** Ways to get credentials that a server cannot take part in: it runs no programs and asks no person. */
const UNSUPPORTED = ['exec', 'auth-provider', 'as', 'as-uid', 'as-groups', 'as-user-extra'];

/** Reads a user of a cluster-config. */
export function clientCredentials(fields: FileFields): ClientCredentials {
  const token = fields.text('token');
  const tokenFile = fields.file('tokenFile');
  const username = fields.text('username');
  const password = fields.text('password');
  for (const name of UNSUPPORTED) if (fields.has(name)) fields.problem(`${name} is not supported`);
  if ((token !== undefined || tokenFile !== undefined) && username !== undefined) {
    fields.problem('more than one authentication method found; found [token basicAuth], only one is allowed');
  }
  if (password !== undefined && username === undefined) fields.problem('username is required with password');
  return {
    ...certificatePair(fields),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(username === undefined ? {} : { username, password: password ?? '' }),
  };
}

function certificatePair(fields: FileFields): Pick<ClientCredentials, 'certificate' | 'key'> {
  const certificate = fields.certificates('client-certificate');
  const key = fields.content('client-key');
  if (certificate === undefined && key === undefined) return {};
  if (certificate === undefined)
    fields.problem(
      'client-certificate or client-certificate-data must be specified to use the clientCert authentication method',
    );
  else if (key === undefined)
    fields.problem('client-key or client-key-data must be specified to use the clientCert authentication method');
  else if (isPair(certificate, key)) return { certificate, key };
  else fields.problem('client-key is no PEM private key, or not that of client-certificate');
  return {};
}

function isPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    // The caller reports the pair as unusable.
    return false;
  }
}
