/**
 * Cluster-config files (kubeconfig), as the options for remote services name them: the server, its authority, and the
 * credentials for it. Read as a whole at start-up, so that every problem of a file is reported at once. A problem names
 * file and field, never a credential.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml, YamlError } from '../codec/yaml.ts';
import { clientCredentials, type ClientCredentials, type ConfigReader } from './client-credentials.ts';
import { entriesByName, FileFields } from './cluster-config-fields.ts';
import { execExtension } from './exec-settings.ts';

/** A server and how this process shows itself to it. */
export interface ClusterConfig {
  /** `http:` or `https:`; its path is where requests go. */
  readonly server: URL;
  /** PEM of the authorities that may have signed the server's certificate; absent: those of the host. */
  readonly ca?: string;
  /** Where `ca` was read from, and is read again. */
  readonly caFile?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** Name to look for in the server's certificate, where it is not the URL's host. */
  readonly serverName?: string;
  readonly credentials: ClientCredentials;
  /** `http:`, `https:` or `socks5:`: connections lead through it. */
  readonly proxy?: URL;
  /** Answers are not asked for in a compressed form. */
  readonly disableCompression?: boolean;
}

/** All that is wrong with a cluster-config file, one line each. */
export class ClusterConfigError extends Error {
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[]) {
    super(`${file}: invalid configuration: ${problems.join('; ')}`);
    this.name = 'ClusterConfigError';
    this.problems = problems;
  }
}

/** What a server reads to call a service: a file's current context. Throws `ClusterConfigError`. */
export function readClusterConfig(file: string): ClusterConfig {
  return readConfig(file, 'service', undefined);
}

/**
 * What a client of an API server reads: a context, the current one where none is named. Throws `ClusterConfigError`.
 */
export function readClientConfig(file: string, context?: string): ClusterConfig {
  return readConfig(file, 'program', context);
}

/** Paths in the file are relative to it. */
function readConfig(file: string, reader: ConfigReader, context: string | undefined): ClusterConfig {
  const problems: string[] = [];
  const document = readDocument(file, problems);
  const dir = path.dirname(file);
  const config = problems.length === 0 ? contextOf(document, context, reader, dir, problems) : undefined;
  if (config === undefined || problems.length > 0) throw new ClusterConfigError(file, problems);
  return config;
}

/**
 * Reads the users of a file by name, for callers whose servers come from elsewhere: admission webhooks find theirs by
 * host name (`*.example.com`). Throws `ClusterConfigError`.
 */
export function readClientCredentials(file: string): ReadonlyMap<string, ClientCredentials> {
  const problems: string[] = [];
  const users = new Map<string, ClientCredentials>();
  for (const [name, user] of entriesByName(readDocument(file, problems), 'users', 'user', problems)) {
    users.set(
      name,
      clientCredentials(new FileFields(`user ${JSON.stringify(name)}`, user, path.dirname(file), problems), 'service'),
    );
  }
  if (problems.length > 0) throw new ClusterConfigError(file, problems);
  return users;
}

function readDocument(file: string, problems: string[]): Record<string, unknown> {
  const none = {};
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    problems.push(`the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
    return none;
  }
  try {
    const document = parseYaml(text);
    if (document !== null && typeof document === 'object' && !Array.isArray(document))
      return checkType(document as Record<string, unknown>, problems);
    problems.push('no configuration has been provided');
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // The parser's words may quote the line, and with it a credential.
    problems.push(`the file is no YAML or JSON: ${/line \d+/.exec(error.message)?.[0] ?? 'it cannot be parsed'}`);
  }
  return none;
}

function checkType(document: Record<string, unknown>, problems: string[]): Record<string, unknown> {
  const { apiVersion = 'v1', kind = 'Config' } = document;
  if (apiVersion !== 'v1' || kind !== 'Config') problems.push('apiVersion must be "v1" and kind must be "Config"');
  return document;
}

function contextOf(
  document: Record<string, unknown>,
  named: string | undefined,
  reader: ConfigReader,
  dir: string,
  problems: string[],
): ClusterConfig | undefined {
  const clusters = entriesByName(document, 'clusters', 'cluster', problems);
  const users = entriesByName(document, 'users', 'user', problems);
  const contexts = entriesByName(document, 'contexts', 'context', problems);
  const current = named ?? document['current-context'];
  if (typeof current !== 'string' || current === '') {
    problems.push('current-context is not set');
    return undefined;
  }
  const context = contexts.get(current);
  if (context === undefined) {
    problems.push(`context ${JSON.stringify(current)} does not exist`);
    return undefined;
  }
  const fields = new FileFields(`context ${JSON.stringify(current)}`, context, dir, problems);
  const clusterName = fields.text('cluster') ?? '';
  const userName = fields.text('user') ?? '';
  const cluster = clusters.get(clusterName);
  const user = users.get(userName);
  if (cluster === undefined)
    problems.push(`cluster ${JSON.stringify(clusterName)} of context ${JSON.stringify(current)} does not exist`);
  if (user === undefined && userName !== '')
    problems.push(`user ${JSON.stringify(userName)} of context ${JSON.stringify(current)} does not exist`);
  if (cluster === undefined) return undefined;
  const credentials =
    user === undefined
      ? {}
      : clientCredentials(new FileFields(`user ${JSON.stringify(userName)}`, user, dir, problems), reader);
  const clusterFields = new FileFields(`cluster ${JSON.stringify(clusterName)}`, cluster, dir, problems);
  return clusterOf(clusterFields, withExtension(credentials, clusterFields), reader);
}

/** A plugin may get the cluster's entry. */
function withExtension(credentials: ClientCredentials, cluster: FileFields): ClientCredentials {
  const { exec } = credentials;
  const clusterExtension = exec?.provideClusterInfo === true ? execExtension(cluster) : undefined;
  return clusterExtension === undefined ? credentials : { ...credentials, exec: { ...exec!, clusterExtension } };
}

function clusterOf(
  fields: FileFields,
  credentials: ClientCredentials,
  reader: ConfigReader,
): ClusterConfig | undefined {
  const server = serverUrl(fields);
  const ca = fields.certificates('certificate-authority');
  const caFile = reader === 'program' ? fields.contentFile('certificate-authority') : undefined;
  const insecure = fields.flag('insecure-skip-tls-verify');
  const disableCompression = reader === 'program' && fields.flag('disable-compression');
  const serverName = fields.text('tls-server-name');
  if (insecure && ca !== undefined)
    fields.problem('specifying a root certificates file with the insecure flag is not allowed');
  const proxy = proxyUrl(fields, reader);
  if (server === undefined) return undefined;
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(ca === undefined || caFile === undefined ? {} : { caFile }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(serverName === undefined ? {} : { serverName }),
    credentials,
    ...(proxy === undefined ? {} : { proxy }),
    ...(disableCompression ? { disableCompression: true } : {}),
  };
}

const PROXY_PROTOCOLS = ['http:', 'https:', 'socks5:'];

function proxyUrl(fields: FileFields, reader: ConfigReader): URL | undefined {
  const text = fields.text('proxy-url');
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (reader === 'service') fields.problem('proxy-url is not supported');
  else if (url !== undefined && PROXY_PROTOCOLS.includes(url.protocol)) return url;
  else fields.problem('proxy-url must be a URL that begins with https://, http:// or socks5://');
  return undefined;
}

function serverUrl(fields: FileFields): URL | undefined {
  const text = fields.text('server');
  if (text === undefined) {
    fields.problem('no server found');
    return undefined;
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    fields.problem('server must be a URL that begins with https:// or http://');
  else if (url.username !== '' || url.password !== '') fields.problem('server must not hold a user name or password');
  else return url;
  return undefined;
}
