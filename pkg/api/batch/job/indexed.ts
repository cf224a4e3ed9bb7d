import { type FieldErrors, OMIT_VALUE } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { JobSpec, SuccessPolicy, SuccessPolicyRule } from '../../../generated/types/batch-v1.ts';
import { parseIndexes } from './index-intervals.ts';

/** Rules of jobs whose pods have indexes. */

const PARALLELISM_MAX = 100_000;
const FAILED_INDEXES_MAX = 100_000;
/** From this count on fewer pods may run at once, and fewer indexes fail. */
const MANY_COMPLETIONS = 100_000;
const OF_MANY_MAX = 10_000;
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
      errors.invalid(
        path.child('parallelism'),
        parallelism,
        `must be less than or equal to ${PARALLELISM_MAX} when completion mode is Indexed`,
      );
    }
    validateFailedIndexes(spec, path, errors);
  } else {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[name] !== undefined) errors.invalid(path.child(name), spec[name], 'requires indexed completion mode');
    }
  }
}

function validateFailedIndexes(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  const { maxFailedIndexes: max, backoffLimitPerIndex, completions, parallelism } = spec;
  const maxPath = path.child('maxFailedIndexes');
  if (max !== undefined && completions !== undefined && max > completions)
    errors.invalid(maxPath, max, 'must be less than or equal to completions');
  if (max !== undefined && max > FAILED_INDEXES_MAX)
    errors.invalid(maxPath, max, `must be less than or equal to ${FAILED_INDEXES_MAX}`);
  if (completions === undefined || completions <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return;
  if (max === undefined) errors.required(maxPath, `must be specified when completions is above ${MANY_COMPLETIONS}`);
  const tooMany = `must be less than or equal to ${OF_MANY_MAX} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (parallelism !== undefined && parallelism > OF_MANY_MAX)
    errors.invalid(path.child('parallelism'), parallelism, tooMany);
  if (max !== undefined && max > OF_MANY_MAX) errors.invalid(maxPath, max, tooMany);
}

/** Checks when an indexed job counts as succeeded before all of its indexes have. */
export function validateSuccessPolicy(
  spec: JobSpec,
  policy: SuccessPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (spec.completionMode !== 'Indexed') {
    errors.invalid(path, OMIT_VALUE, 'requires indexed completion mode');
    return;
  }
  const rulesPath = path.child('rules');
  const rules = policy.rules ?? [];
  if (rules.length === 0)
    errors.required(rulesPath, 'at least one rules must be specified when the successPolicy is specified');
  if (rules.length > SUCCESS_RULES_MAX) errors.tooMany(rulesPath, rules.length, SUCCESS_RULES_MAX);
  for (const [i, rule] of rules.entries()) validateSuccessRule(rule, spec.completions ?? 0, rulesPath.index(i), errors);
}

function validateSuccessRule(
  { succeededIndexes, succeededCount }: SuccessPolicyRule,
  completions: number,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (succeededIndexes === undefined && succeededCount === undefined) {
    errors.required(path, 'at least one of succeededCount or succeededIndexes must be specified');
  }
  const named =
    succeededIndexes === undefined
      ? undefined
      : validateIndexes(succeededIndexes, completions, path.child('succeededIndexes'), errors);
  if (succeededCount === undefined) return;
  const countPath = path.child('succeededCount');
  validateNonNegative(succeededCount, countPath, errors);
  if (succeededCount > completions)
    errors.invalid(
      countPath,
      succeededCount,
      `must be less than or equal to ${completions} (the number of specified completions)`,
    );
  if (named !== undefined && succeededCount > named) {
    errors.invalid(
      countPath,
      succeededCount,
      `must be less than or equal to ${named} (the number of indexes in the specified succeededIndexes field)`,
    );
  }
}

/** The number of indexes named; 0 where the text is wrong. */
function validateIndexes(text: string, completions: number, path: FieldPath, errors: FieldErrors): number {
  if (Buffer.byteLength(text) > SUCCEEDED_INDEXES_BYTES_MAX) {
    errors.tooLong(path, text, SUCCEEDED_INDEXES_BYTES_MAX);
    return 0;
  }
  const indexes = parseIndexes(text, completions);
  if ('count' in indexes) return indexes.count;
  errors.invalid(path, text, `error parsing succeededIndexes: ${indexes.problem}`);
  return 0;
}
