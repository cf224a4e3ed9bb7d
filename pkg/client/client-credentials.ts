import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { FileFields } from './cluster-config-fields.ts';
import { type ExecSettings, execSettings } from './exec-settings.ts';

/** The user as whom requests are made by one who may impersonate them. */
export interface Impersonation {
  readonly name: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Gives a token that is replaced from time to time. */
export interface TokenSource {
  current(): Promise<string>;
  /** The server did not accept what was given: the next call brings another one. */
  expire(): void;
}

/** The credentials of a client; never more than one of token and password. */
export interface ClientCredentials {
  /** PEM: the certificate, then those that link it to its authority. Comes with `key`. */
  readonly certificate?: string;
  /** PEM. */
  readonly key?: string;
  /** Where certificate and key were read from, and are read again: both or neither. */
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly token?: string;
  /** Holds a token that may change; wins over `token`. */
  readonly tokenFile?: string;
  /** Wins over both. */
  readonly tokenSource?: TokenSource;
  readonly username?: string;
  readonly password?: string;
  /** A program that has the credentials; those above win. */
  readonly exec?: ExecSettings;
  readonly impersonate?: Impersonation;
}

/**
 * Who reads a cluster-config: `service` for the server itself, which calls services; `program` for clients of an API
 * server, which may run plugins, impersonate users and go through a proxy.
 */
export type ConfigReader = 'service' | 'program';

/** What a reader cannot take part in: a server runs no programs and asks no person. */
const UNSUPPORTED: Readonly<Record<ConfigReader, readonly string[]>> = {
  service: ['exec', 'auth-provider', 'as', 'as-uid', 'as-groups', 'as-user-extra'],
  program: ['auth-provider'],
};

/** Reads a user of a cluster-config. */
export function clientCredentials(fields: FileFields, reader: ConfigReader): ClientCredentials {
  const token = fields.text('token');
  const tokenFile = fields.file('tokenFile');
  const username = fields.text('username');
  const password = fields.text('password');
  for (const name of UNSUPPORTED[reader]) if (fields.has(name)) fields.problem(`${name} is not supported`);
  if ((token !== undefined || tokenFile !== undefined) && username !== undefined) {
    fields.problem('more than one authentication method found; found [token basicAuth], only one is allowed');
  }
  if (password !== undefined && username === undefined) fields.problem('username is required with password');
  return {
    ...certificatePair(fields, reader),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(username === undefined ? {} : { username, password: password ?? '' }),
    ...(reader === 'program' ? programCredentials(fields, username !== undefined) : {}),
  };
}

function programCredentials(fields: FileFields, hasPassword: boolean): Pick<ClientCredentials, 'exec' | 'impersonate'> {
  const exec = execSettings(fields);
  if (exec !== undefined && hasPassword) fields.problem('exec and basic auth cannot be used together');
  const name = fields.text('as');
  const uid = fields.text('as-uid');
  const groups = fields.texts('as-groups');
  const extra = fields.textsByKey('as-user-extra');
  if (name === undefined && (uid !== undefined || groups.length > 0 || extra !== undefined)) {
    fields.problem('requesting uid, groups or user-extra without impersonating a user');
  }
  return {
    ...(exec === undefined ? {} : { exec }),
    ...(name === undefined
      ? {}
      : {
          impersonate: {
            name,
            ...(uid === undefined ? {} : { uid }),
            groups,
            ...(extra === undefined ? {} : { extra }),
          },
        }),
  };
}

type CertificateCredentials = Pick<ClientCredentials, 'certificate' | 'key' | 'certificateFile' | 'keyFile'>;

function certificatePair(fields: FileFields, reader: ConfigReader): CertificateCredentials {
  const certificate = fields.certificates('client-certificate');
  const key = fields.content('client-key');
  if (certificate === undefined && key === undefined) return {};
  if (certificate === undefined)
    fields.problem(
      'client-certificate or client-certificate-data must be specified to use the clientCert authentication method',
    );
  else if (key === undefined)
    fields.problem('client-key or client-key-data must be specified to use the clientCert authentication method');
  else if (isKeyPair(certificate, key)) return { certificate, key, ...(reader === 'program' ? pairFiles(fields) : {}) };
  else fields.problem('client-key is no PEM private key, or not that of client-certificate');
  return {};
}

function pairFiles(fields: FileFields): CertificateCredentials {
  const certificateFile = fields.contentFile('client-certificate');
  const keyFile = fields.contentFile('client-key');
  return certificateFile === undefined || keyFile === undefined ? {} : { certificateFile, keyFile };
}

/** Whether the PEM texts are a certificate and its private key. */
export function isKeyPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    // The caller reports the pair as unusable.
    return false;
  }
}
