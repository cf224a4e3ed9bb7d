import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { goPlain } from '../../apimachinery/values/go-format.ts';
import { invalid } from '../../apimachinery/errors/status-error.ts';
import type { PatchType } from './apply-patch.ts';

/** Characters of the rejected value that an answer repeats; stock servers repeat all of it. */
const VALUE_LENGTH_MAX = 4096;

/**
 * The 422 for a patch whose result cannot be read as the kind. Stock servers quote the result, of strategic merge
 * patches the patch.
 */
export function patchRefusal(type: PatchType, patch: unknown, result: unknown, problem: string): Error {
  const errors = new FieldErrors();
  const value = type === 'strategic' ? goPlain(patch) : jsonText(result);
  errors.invalid(
    field('patch'),
    value.length > VALUE_LENGTH_MAX ? `${value.slice(0, VALUE_LENGTH_MAX)}...` : value,
    type === 'strategic' ? converterWords(problem) : problem,
  );
  return invalid({ group: '', kind: '' }, '', errors);
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v)) ?? 'null';
}

const GO_KINDS: Readonly<Record<string, { readonly kind: string; readonly type: string }>> = {
  array: { kind: 'slice', type: '[]interface {}' },
  bool: { kind: 'bool', type: 'bool' },
  number: { kind: 'int64', type: 'int64' },
  object: { kind: 'map', type: 'map[string]interface {}' },
  string: { kind: 'string', type: 'string' },
};

/** Strategic merge patches are not read from JSON, and complain in the words of the converter that reads them. */
function converterWords(problem: string): string {
  const [, json = '', digits, target = ''] =
    /^json: cannot unmarshal (\w+)( \S+)? into Go .* of type (.+)$/.exec(problem) ?? [];
  const source = Object.hasOwn(GO_KINDS, json) ? GO_KINDS[json]! : undefined;
  if (source === undefined) return problem;
  if (target.startsWith('[]')) return `cannot restore slice from ${source.kind}`;
  if (target.startsWith('map[')) return `cannot restore map from ${source.kind}`;
  if (target.includes('.')) return `cannot restore struct from: ${source.kind}`;
  return `cannot convert ${digits?.includes('.') === true ? 'float64' : source.type} to ${target}`;
}
