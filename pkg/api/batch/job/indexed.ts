import { type FieldErrors, OMIT_VALUE } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import type { JobSpec, SuccessPolicy } from '../../../generated/types/batch-v1.ts';

/** Rules of jobs whose pods have indexes. */

const PARALLELISM_MAX = 100_000;
const FAILED_INDEXES_MAX = 100_000;
const SUCCESS_RULES_MAX = 20;
const SUCCEEDED_INDEXES_BYTES_MAX = 64 * 1024;

export function validateCompletionMode(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  const { completionMode: mode, completions, parallelism } = spec;
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed']);
  }
  if (mode === 'Indexed') {
    if (completions === undefined) errors.required(path.child('completions'), 'when completion mode is Indexed');
    if (parallelism !== undefined && parallelism > PARALLELISM_MAX) {
      errors.invalid(path.child('parallelism'), parallelism, `must be less than or equal to ${PARALLELISM_MAX} when completion mode is Indexed`);
    }
    validateFailedIndexes(spec, path, errors);
  } else {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[name] !== undefined) errors.invalid(path.child(name), spec[name], 'requires indexed completion mode');
    }
  }
}

function validateFailedIndexes(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  const { maxFailedIndexes: max, backoffLimitPerIndex, completions } = spec;
  if (max === undefined) return;
  const maxPath = path.child('maxFailedIndexes');
  if (backoffLimitPerIndex === undefined) errors.required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified');
  if (completions !== undefined && max > completions) errors.invalid(maxPath, max, 'must be less than or equal to completions');
  if (max > FAILED_INDEXES_MAX) errors.invalid(maxPath, max, `must be less than or equal to ${FAILED_INDEXES_MAX}`);
}

/** Checks when an indexed job counts as succeeded before all of its indexes have. */
export function validateSuccessPolicy(spec: JobSpec, policy: SuccessPolicy, path: FieldPath, errors: FieldErrors): void {
  const rulesPath = path.child('rules');
  const rules = policy.rules ?? [];
  if (spec.completionMode !== 'Indexed') errors.invalid(path, OMIT_VALUE, 'requires indexed completion mode');
  if (rules.length === 0) errors.required(rulesPath, 'at least one rules must be specified when the successPolicy is specified');
  if (rules.length > SUCCESS_RULES_MAX) errors.tooMany(rulesPath, rules.length, SUCCESS_RULES_MAX);
  for (const [i, { succeededIndexes, succeededCount }] of rules.entries()) {
    const rulePath = rulesPath.index(i);
    if (succeededIndexes === undefined && succeededCount === undefined) {
      errors.required(rulePath, 'at least one of succeededCount or succeededIndexes must be specified');
    }
    const total = succeededIndexes === undefined
      ? spec.completions
      : validateIndexes(succeededIndexes, spec.completions ?? 0, rulePath.child('succeededIndexes'), errors);
    if (succeededCount === undefined) continue;
    const countPath = rulePath.child('succeededCount');
    if (succeededCount < 0) errors.invalid(countPath, succeededCount, 'must be greater than or equal to 0');
    if (total !== undefined && succeededCount > total) errors.invalid(countPath, succeededCount, `must be less than or equal to ${total}`);
  }
}

/** Checks `0,3-5,7`; the number of indexes named, or undefined where the text is wrong. */
function validateIndexes(text: string, completions: number, path: FieldPath, errors: FieldErrors): number | undefined {
  if (Buffer.byteLength(text) > SUCCEEDED_INDEXES_BYTES_MAX) {
    errors.tooLong(path, text, SUCCEEDED_INDEXES_BYTES_MAX);
    return undefined;
  }
  let total = 0;
  let last = -1;
  for (const part of text === '' ? [] : text.split(',')) {
    const match = /^([0-9]{1,10})(?:-([0-9]{1,10}))?$/.exec(part);
    const first = Number(match?.[1]);
    const end = match?.[2] === undefined ? first : Number(match[2]);
    if (match === null || first <= last || (match[2] !== undefined && end <= first) || end >= completions) {
      errors.invalid(path, text, 'error parsing succeededIndexes: indexes must be increasing and below completions');
      return undefined;
    }
    total += end - first + 1;
    last = end;
  }
  return total;
}
