import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goTypeName } from '../../../apimachinery/values/go-format.ts';
import { parseJson } from '../../../apimachinery/json/json.ts';
import { isConfigMapKey } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { Secret } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';
import { CONTENT_BYTES_MAX, decodedBytes, validateFrozenContent } from '../immutable-content.ts';

const ACCOUNT_NAME_ANNOTATION = 'kubernetes.io/service-account.name';
/** Errors go into logs: they show nothing of a secret's content. */
const REDACTED = '<secret contents redacted>';

const dataPath = field('data');

export function validateSecret(secret: Secret, errors: FieldErrors): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(secret.data ?? {})) {
    reportProblems(isConfigMapKey(key), key, dataPath.key(key), errors);
    bytes += decodedBytes(value);
  }
  if (bytes > CONTENT_BYTES_MAX) errors.tooLong(dataPath, '', CONTENT_BYTES_MAX);
  validateContentOfType(secret, errors);
}

export function validateSecretUpdate(secret: Secret, old: Secret, errors: FieldErrors): void {
  validateImmutableField(secret.type ?? '', old.type ?? '', field('type'), errors);
  validateFrozenContent(secret, old, ['data'], errors);
  validateSecret(secret, errors);
}

/** Types with the domain `kubernetes.io` require certain keys. */
function validateContentOfType({ type, metadata, data = {} }: Secret, errors: FieldErrors): void {
  const has = (key: string): boolean => Object.hasOwn(data, key);
  const requireKey = (key: string): void => errors.required(dataPath.key(key));
  switch (type) {
    case 'kubernetes.io/service-account-token':
      // The token itself is often added later.
      if (!getKey<string>(metadata.annotations, ACCOUNT_NAME_ANNOTATION))
        errors.required(field('metadata', 'annotations').key(ACCOUNT_NAME_ANNOTATION));
      break;
    case 'kubernetes.io/dockercfg':
      return validateJsonObject(data, '.dockercfg', errors);
    case 'kubernetes.io/dockerconfigjson':
      return validateJsonObject(data, '.dockerconfigjson', errors);
    case 'kubernetes.io/basic-auth':
      if (!has('username') && !has('password')) ['username', 'password'].forEach(requireKey);
      break;
    case 'kubernetes.io/ssh-auth':
      if (!getKey(data, 'ssh-privatekey')) requireKey('ssh-privatekey');
      break;
    case 'kubernetes.io/tls':
      ['tls.crt', 'tls.key'].filter((key) => !has(key)).forEach(requireKey);
  }
}

function validateJsonObject(data: Record<string, string | null>, key: string, errors: FieldErrors): void {
  const path = dataPath.key(key);
  const value = getKey<string | null>(data, key);
  if (value === undefined) return errors.required(path);
  try {
    const parsed = parseJson(Buffer.from(value ?? '', 'base64'));
    if (parsed !== null && (typeof parsed !== 'object' || Array.isArray(parsed))) {
      errors.invalid(
        path,
        REDACTED,
        `json: cannot unmarshal ${jsonTypeName(parsed)} into Go value of type ${goTypeName({})}`,
      );
    }
  } catch (error) {
    errors.invalid(path, REDACTED, (error as Error).message);
  }
}

function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
      return 'number';
  }
}
