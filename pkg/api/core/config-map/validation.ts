import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { isConfigMapKey } from '../../../apimachinery/names/names.ts';
import type { ConfigMap } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';
import { CONTENT_BYTES_MAX, decodedBytes, validateFrozenContent, WHOLE_OBJECT } from '../immutable-content.ts';

export function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap, errors: FieldErrors): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    const path = field('data').key(key);
    reportProblems(isConfigMapKey(key), key, path, errors);
    if (Object.hasOwn(binaryData, key)) errors.invalid(path, key, 'duplicate of key present in binaryData');
    bytes += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    reportProblems(isConfigMapKey(key), key, field('binaryData').key(key), errors);
    bytes += decodedBytes(value);
  }
  if (bytes > CONTENT_BYTES_MAX) errors.tooLong(WHOLE_OBJECT, '', CONTENT_BYTES_MAX);
}

export function validateConfigMapUpdate(object: ConfigMap, old: ConfigMap, errors: FieldErrors): void {
  validateFrozenContent(object, old, ['data', 'binaryData'], errors);
  validateConfigMap(object, errors);
}
