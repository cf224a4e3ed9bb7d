import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { validateLabelName } from '../../../apimachinery/meta/object-meta-validation.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { PodAffinityTerm, PodSpec } from '../../../generated/types/core-v1.ts';
import type { LabelSelector } from '../../../generated/types/meta-v1.ts';

/**
 * Labels whose values a selector takes from the pod itself: in terms of affinity, and in topology spread constraints,
 * which have no `mismatchLabelKeys`.
 */
interface LabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: LabelSelector;
}

/**
 * Writes the values of these labels of a new pod into its selectors, so that schedulers need to read selectors alone.
 */
export function mergeLabelKeys(spec: PodSpec, labels: Readonly<Record<string, string>> | undefined): void {
  for (const keys of [...affinityTerms(spec), ...(spec.topologySpreadConstraints ?? [])] as LabelKeys[]) {
    const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = keys;
    // A selector that is absent selects nothing, and stays so.
    if (labelSelector === undefined) continue;
    requireValues(labelSelector, matchLabelKeys, 'In', labels);
    requireValues(labelSelector, mismatchLabelKeys, 'NotIn', labels);
  }
}

function affinityTerms({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((each) => [
    ...(each?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}

function requireValues(
  selector: LabelSelector,
  keys: readonly string[],
  operator: string,
  labels: Readonly<Record<string, string>> | undefined,
): void {
  for (const key of keys) {
    const value = getKey<string>(labels, key);
    if (value !== undefined) (selector.matchExpressions ??= []).push({ key, operator, values: [value] });
  }
}

/**
 * `path` is that of the term or constraint. A selector with the requirements of `mergeLabelKeys` is as valid as one
 * without.
 */
export function validateLabelKeys(
  { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: LabelKeys,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateKeys(matchLabelKeys, labelSelector, path.child('matchLabelKeys'), errors);
  validateKeys(mismatchLabelKeys, labelSelector, path.child('mismatchLabelKeys'), errors);
  if (labelSelector !== undefined) validateSelectedOnce(matchLabelKeys, labelSelector, path, errors);
  const mismatched = new Set(mismatchLabelKeys);
  for (const [i, key] of matchLabelKeys.entries()) {
    if (mismatched.has(key))
      errors.invalid(path.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  }
}

function validateKeys(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (keys.length > 0 && selector === undefined)
    return errors.forbidden(path, 'must not be specified when labelSelector is not set');
  for (const [i, key] of keys.entries()) validateLabelName(key, path.index(i), errors);
}

/**
 * One requirement on such a label is the merged one; any further one was there before. Kubernetes names the place
 * without the list.
 */
function validateSelectedOnce(
  keys: readonly string[],
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (keys.length === 0) return;
  const indexes = new Map(keys.map((key, i) => [key, i]));
  const selected = new Set(Object.keys(matchLabels));
  for (const { key } of matchExpressions) {
    const index = indexes.get(key);
    if (index !== undefined && selected.has(key))
      errors.invalid(path.index(index), key, 'exists in both matchLabelKeys and labelSelector');
    selected.add(key);
  }
}
