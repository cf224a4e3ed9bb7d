import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import { validateLabelSelector } from '../../../apimachinery/label-selector.ts';
import { nameIsDns1123Label } from '../../../apimachinery/names.ts';
import { validateLabelName } from '../../../apimachinery/object-meta-validation.ts';
import type { Affinity, PodAffinity, PodAffinityTerm } from '../../../generated/types/core-v1.ts';
import type { LabelSelector } from '../../../generated/types/meta-v1.ts';
import { reportProblems } from '../../validation/names.ts';
import { validateNodeAffinity, validateWeight } from './node-affinity.ts';

/** What attracts a pod to nodes and other pods, or keeps it away. */
export function validateAffinity(affinity: Affinity | undefined, path: FieldPath, errors: FieldErrors): void {
  if (affinity?.nodeAffinity !== undefined) validateNodeAffinity(affinity.nodeAffinity, path.child('nodeAffinity'), errors);
  if (affinity?.podAffinity !== undefined) validatePodAffinity(affinity.podAffinity, path.child('podAffinity'), errors);
  if (affinity?.podAntiAffinity !== undefined) validatePodAffinity(affinity.podAntiAffinity, path.child('podAntiAffinity'), errors);
}

/** Affinity and anti-affinity have one shape. */
function validatePodAffinity(affinity: PodAffinity, path: FieldPath, errors: FieldErrors): void {
  const requiredPath = path.child('requiredDuringSchedulingIgnoredDuringExecution');
  for (const [i, term] of (affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) validateTerm(term, requiredPath.index(i), errors);
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  for (const [i, { weight, podAffinityTerm }] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    validateWeight(weight, preferredPath.index(i).child('weight'), errors);
    validateTerm(podAffinityTerm, preferredPath.index(i).child('podAffinityTerm'), errors);
  }
}

function validateTerm(term: PodAffinityTerm, path: FieldPath, errors: FieldErrors): void {
  if (term.labelSelector !== undefined) validateLabelSelector(term.labelSelector, path.child('labelSelector'), errors);
  if (term.namespaceSelector !== undefined) validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector'), errors);
  for (const name of term.namespaces ?? []) reportProblems(nameIsDns1123Label(name, false), name, path.child('namespace'), errors);
  validateLabelKeys(term, path, errors);
  if (term.topologyKey === '') errors.required(path.child('topologyKey'), 'can not be empty');
  validateLabelName(term.topologyKey, path.child('topologyKey'), errors);
}

/** Labels whose values the selector takes over from the pod itself. */
function validateLabelKeys(term: PodAffinityTerm, path: FieldPath, errors: FieldErrors): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  validateMatchLabelKeys(matchLabelKeys, labelSelector, path.child('matchLabelKeys'), errors);
  if (mismatchLabelKeys.length > 0 && labelSelector === undefined) {
    errors.forbidden(path.child('mismatchLabelKeys'), 'must not be specified when labelSelector is not set');
  }
  const matched = new Set(matchLabelKeys);
  for (const [i, key] of mismatchLabelKeys.entries()) {
    const at = path.child('mismatchLabelKeys').index(i);
    validateLabelName(key, at, errors);
    if (matched.has(key)) errors.invalid(at, key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  }
}

/** Also for topology spread constraints. */
export function validateMatchLabelKeys(keys: readonly string[], selector: LabelSelector | undefined, path: FieldPath, errors: FieldErrors): void {
  if (keys.length === 0) return;
  if (selector === undefined) errors.forbidden(path, 'must not be specified when labelSelector is not set');
  const selected = new Set([...Object.keys(selector?.matchLabels ?? {}), ...(selector?.matchExpressions ?? []).map((e) => e.key)]);
  for (const [i, key] of keys.entries()) {
    validateLabelName(key, path.index(i), errors);
    if (selected.has(key)) errors.invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector');
  }
}
