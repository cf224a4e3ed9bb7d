import { setKey } from '../../../apimachinery/json/own-keys.ts';
import type { Secret } from '../../../generated/types/core-v1.ts';

/** `stringData` is write-only: its texts become bytes under `data`, over existing ones, and it is never read back. */
export function mergeStringData(object: Secret): Secret {
  const { stringData } = object;
  delete object.stringData;
  if (stringData === undefined) return object;
  const merged = { ...object.data };
  for (const [key, text] of Object.entries(stringData)) setKey(merged, key, Buffer.from(text).toString('base64'));
  const data = {};
  for (const key of Object.keys(merged).sort()) setKey(data, key, merged[key]);
  object.data = data;
  return object;
}
