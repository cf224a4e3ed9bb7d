import { durationMs } from '../../apimachinery/duration.ts';
import { isJsonObject, type JsonObject } from '../../apimachinery/json-object.ts';
import { parseYaml, YamlError } from '../../codec/yaml.ts';

/** One key of a provider. */
export interface EncryptionKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

export interface KmsSettings {
  readonly version: 1 | 2;
  readonly name: string;
  /** `unix:///path/to/socket`. */
  readonly endpoint: string;
  /** Keys of values that are kept opened; infinite: as many as there are. */
  readonly cacheSize: number;
  readonly timeoutMs: number;
}

export type ProviderSettings =
  | { readonly type: 'identity' }
  | { readonly type: 'aescbc' | 'aesgcm' | 'secretbox'; readonly keys: readonly EncryptionKey[] }
  | { readonly type: 'kms'; readonly kms: KmsSettings };

/** Providers in order for some resources. */
export interface ResourceEncryption {
  /** `secrets`, `deployments.apps`. */
  readonly resources: readonly string[];
  readonly providers: readonly ProviderSettings[];
}

/** All that is wrong with an encryption configuration, a line each, by path. Keys are never among it. */
export class EncryptionConfigurationError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** The kinds in which it is written: that of release 1.11 and that of later ones. */
const kinds: ReadonlySet<string> = new Set(['v1/EncryptionConfig', 'apiserver.config.k8s.io/v1/EncryptionConfiguration']);
const keySizes = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] } as const;
const KMS_TIMEOUT_MS = 3000;
const KMS_CACHE_SIZE = 1000;

type Fields = Readonly<JsonObject>;

/** Reads `--experimental-encryption-provider-config`. Throws `EncryptionConfigurationError`. */
export function parseEncryptionConfiguration(text: string): ResourceEncryption[] {
  const problems: string[] = [];
  const document = readYaml(text);
  const kind = `${String(document['apiVersion'] ?? '')}/${String(document['kind'] ?? '')}`;
  if (!kinds.has(kind)) problems.push('kind: must be EncryptionConfiguration of apiserver.config.k8s.io/v1, or EncryptionConfig of v1');
  const entries = listOf(document['resources'], 'resources', problems);
  if (entries.length === 0 && problems.length === 0) problems.push('resources: at least one is required');
  const read = entries.map((entry, i) => readEntry(entry, `resources[${i}]`, problems));
  if (problems.length > 0) throw new EncryptionConfigurationError(problems);
  return read;
}

function readYaml(text: string): Fields {
  try {
    return fieldsOf(parseYaml(text));
  } catch (error) {
    if (error instanceof YamlError) throw new EncryptionConfigurationError([error.message]);
    throw error;
  }
}

function readEntry(entry: Fields, path: string, problems: string[]): ResourceEncryption {
  const resources = Array.isArray(entry['resources']) ? entry['resources'].map(String) : [];
  if (resources.length === 0) problems.push(`${path}.resources: at least one is required`);
  for (const [i, name] of resources.entries()) {
    if (!/^[a-z0-9]+(\.[a-z0-9.-]+)?$/.test(name)) problems.push(`${path}.resources[${i}]: ${JSON.stringify(name)} must be a resource such as secrets or deployments.apps`);
  }
  const providers = listOf(entry['providers'], `${path}.providers`, problems);
  if (providers.length === 0) problems.push(`${path}.providers: at least one is required`);
  const read = providers.flatMap((provider, i) => readProvider(provider, `${path}.providers[${i}]`, problems) ?? []);
  const kmsNames = read.flatMap((p) => (p.type === 'kms' ? [`${p.kms.version}/${p.kms.name}`] : []));
  if (new Set(kmsNames).size < kmsNames.length) problems.push(`${path}.providers: names of kms providers must differ`);
  return { resources, providers: read };
}

function readProvider(provider: Fields, path: string, problems: string[]): ProviderSettings | undefined {
  const [type, ...others] = Object.keys(provider);
  if (type === undefined || others.length > 0) {
    problems.push(`${path}: must have exactly one of aescbc, aesgcm, secretbox, kms, identity`);
    return undefined;
  }
  const fields = fieldsOf(provider[type]);
  switch (type) {
    case 'identity': return { type };
    case 'aescbc': case 'aesgcm': case 'secretbox': return { type, keys: readKeys(fields, keySizes[type], `${path}.${type}`, problems) };
    case 'kms': return { type, kms: readKms(fields, `${path}.kms`, problems) };
    default:
      problems.push(`${path}: unknown provider ${JSON.stringify(type)}`);
      return undefined;
  }
}

function readKeys(fields: Fields, sizes: readonly number[], path: string, problems: string[]): EncryptionKey[] {
  const entries = listOf(fields['keys'], `${path}.keys`, problems);
  if (entries.length === 0) problems.push(`${path}.keys: at least one is required`);
  const names = new Set<string>();
  return entries.map((entry, i) => {
    const name = typeof entry['name'] === 'string' ? entry['name'] : '';
    const at = `${path}.keys[${i}]`;
    if (name === '') problems.push(`${at}.name: is required`);
    else if (name.includes(':')) problems.push(`${at}.name: must not contain a colon`);
    else if (names.has(name)) problems.push(`${at}.name: ${JSON.stringify(name)} is there twice`);
    names.add(name);
    const secret = decodeSecret(entry['secret']);
    if (secret === undefined) problems.push(`${at}.secret: must be base64`);
    else if (!sizes.includes(secret.length)) problems.push(`${at}.secret: must be ${sizes.join(', ')} bytes long, not ${secret.length}`);
    return { name, secret: secret ?? new Uint8Array(0) };
  });
}

function decodeSecret(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) return undefined;
  return Buffer.from(value, 'base64');
}

function readKms(fields: Fields, path: string, problems: string[]): KmsSettings {
  const { apiVersion = 'v1', name = '', endpoint = '', timeout = '3s', cachesize = KMS_CACHE_SIZE } = fields;
  if (apiVersion !== 'v1' && apiVersion !== 'v2') problems.push(`${path}.apiVersion: must be v1 or v2`);
  if (typeof name !== 'string' || name === '' || name.includes(':')) problems.push(`${path}.name: is required and must not contain a colon`);
  if (typeof endpoint !== 'string' || !/^unix:\/\/\/?[^/]/.test(endpoint)) problems.push(`${path}.endpoint: must be a socket such as unix:///run/kms.sock`);
  const timeoutMs = durationMs(String(timeout));
  if (timeoutMs === undefined || timeoutMs <= 0) problems.push(`${path}.timeout: must be a duration above 0 such as 3s`);
  if (!Number.isInteger(cachesize) || cachesize === 0) problems.push(`${path}.cachesize: must be a whole number other than 0`);
  return {
    version: apiVersion === 'v2' ? 2 : 1, name: String(name), endpoint: String(endpoint),
    cacheSize: Number(cachesize) < 0 ? Infinity : Number(cachesize), timeoutMs: timeoutMs ?? KMS_TIMEOUT_MS,
  };
}

function listOf(value: unknown, path: string, problems: string[]): Fields[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map(fieldsOf);
  problems.push(`${path}: must be a list`);
  return [];
}

function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {};
}
