import { durationMs } from '../../apimachinery/values/duration.ts';
import { OMIT_VALUE, type FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { JsonObject } from '../../apimachinery/json/json-object.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { fieldsOf, listOf } from './yaml-fields.ts';

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
  /** Data keys of values that are cached decrypted; 0: none. */
  readonly cacheSize: number;
  readonly timeoutMs: number;
}

export type ProviderSettings =
  | { readonly type: 'identity' }
  | { readonly type: 'aescbc' | 'aesgcm' | 'secretbox'; readonly keys: readonly EncryptionKey[] }
  | { readonly type: 'kms'; readonly kms: KmsSettings };

const keySizes = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] } as const;
const types = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'] as const;
const KMS_TIMEOUT = '3s';
const KMS_CACHE_SIZE = 1000;
/** Replaces a key in errors. */
const REDACTED = 'REDACTED';

/** Reads one item of `providers`; problems go to `errors`, in the words of stock servers. */
export function readProvider(provider: JsonObject, at: FieldPath, errors: FieldErrors): ProviderSettings | undefined {
  const [type, ...others] = types.filter((name) => Object.hasOwn(provider, name) && provider[name] !== null);
  if (type === undefined) {
    errors.invalid(
      at,
      OMIT_VALUE,
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    );
    return undefined;
  }
  if (others.length > 0) {
    errors.invalid(
      at,
      OMIT_VALUE,
      'more than one provider specified in a single element, should split into different list elements',
    );
    return undefined;
  }
  const fields = fieldsOf(provider[type]);
  switch (type) {
    case 'identity':
      return { type };
    case 'kms':
      return { type, kms: readKms(fields, at.child('kms'), errors) };
    case 'aescbc':
    case 'aesgcm':
    case 'secretbox':
      return { type, keys: readKeys(fields, keySizes[type], at.child(type, 'keys'), errors) };
  }
}

function readKeys(fields: JsonObject, sizes: readonly number[], at: FieldPath, errors: FieldErrors): EncryptionKey[] {
  const entries = listOf(fields['keys'], at, errors);
  if (entries.length === 0) errors.required(at, 'at least one keys is required');
  return entries.map((entry, i) => {
    const { name, secret } = entry;
    if (typeof name !== 'string' || name === '')
      errors.required(at.index(i).child('name'), 'name is a mandatory field for a key');
    return { name: String(name), secret: readSecret(secret, sizes, at.index(i).child('secret'), errors) };
  });
}

function readSecret(text: unknown, sizes: readonly number[], at: FieldPath, errors: FieldErrors): Uint8Array {
  const secret = decodeSecret(text);
  if (text === undefined || text === null || text === '') errors.required(at, 'secret is a mandatory field for a key');
  else if (secret === undefined) errors.invalid(at, REDACTED, 'secrets must be base64 encoded');
  else if (!sizes.includes(secret.length))
    errors.invalid(
      at,
      REDACTED,
      `secret is not of the expected length, got ${secret.length}, expected one of [${sizes.join(' ')}]`,
    );
  return secret ?? new Uint8Array(0);
}

/** Line ends are dropped: texts of several lines bring them along. */
function decodeSecret(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll(/[\r\n]/g, '');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0 ? Buffer.from(text, 'base64') : undefined;
}

function readKms(fields: JsonObject, at: FieldPath, errors: FieldErrors): KmsSettings {
  const { apiVersion, name, endpoint, timeout, cachesize } = fields;
  const version = apiVersion ?? 'v1';
  checkKmsName(name, version, at.child('name'), errors);
  const timeoutMs = durationMs(String(timeout ?? KMS_TIMEOUT));
  if (timeoutMs === undefined || timeoutMs <= 0)
    errors.invalid(at.child('timeout'), String(timeout), 'timeout should be a positive value');
  checkEndpoint(endpoint, at.child('endpoint'), errors);
  const cacheSize = cachesize ?? KMS_CACHE_SIZE;
  if (!Number.isInteger(cacheSize) || cacheSize === 0)
    errors.invalid(at.child('cachesize'), cacheSize, 'cachesize should be a positive value, or negative to disable');
  if (version !== 'v1' && version !== 'v2')
    errors.invalid(
      at.child('apiVersion'),
      version,
      'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
    );
  return {
    version: version === 'v2' ? 2 : 1,
    name: String(name),
    endpoint: String(endpoint),
    cacheSize: Math.max(0, Number(cacheSize)),
    timeoutMs: timeoutMs ?? 0,
  };
}

function checkKmsName(name: unknown, version: unknown, at: FieldPath, errors: FieldErrors): void {
  if (typeof name !== 'string' || name === '') errors.required(at, 'name is a mandatory field for a provider');
  else if (version !== 'v1' && name.includes(':'))
    errors.invalid(at, name, `invalid KMS provider name ${name}, must not contain ':'`);
}

function checkEndpoint(endpoint: unknown, at: FieldPath, errors: FieldErrors): void {
  if (typeof endpoint !== 'string' || endpoint === '') {
    errors.invalid(at, '', 'endpoint is a mandatory field for a kms');
    return;
  }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(endpoint)?.[1] ?? '';
  if (scheme !== 'unix')
    errors.invalid(at, endpoint, `unsupported scheme ${goQuote(scheme)} for KMS provider, only unix is supported`);
  else if (!/^unix:\/\/\/?[^/]/.test(endpoint))
    errors.invalid(at, endpoint, 'must name a socket, such as unix:///run/kms.sock');
}
