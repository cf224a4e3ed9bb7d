import { parseJson } from '../../../apimachinery/json/json.ts';
import { DecodeError, normalize } from '../../../codec/normalize.ts';
import { schemaOf } from '../../../codec/schemas.ts';
import type { Toleration } from '../../../generated/types/core-v1.ts';

/**
 * The tolerations in an annotation, a JSON list in which null is an empty one. Throws an Error with the reason for
 * anything else.
 */
export function tolerationsFromJson(text: string): readonly Toleration[] {
  const value = parseJson(text);
  if (value === null) return [];
  if (!Array.isArray(value)) throw new DecodeError('must be a list of tolerations');
  return value.map((item) => normalize<Toleration>(item ?? {}, schemaOf('core/v1.Toleration')));
}
