import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { nameIsDns1123Label } from '../../../apimachinery/names/names.ts';
import { validateLabelName } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Affinity, PodAffinity, PodAffinityTerm } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';
import { validateLabelKeys } from './label-keys.ts';
import { validateNodeAffinity, validateWeight } from './node-affinity.ts';

/** Rules that attract a pod to nodes and other pods, or keep it away. */
export function validateAffinity(affinity: Affinity | undefined, path: FieldPath, errors: FieldErrors): void {
  if (affinity?.nodeAffinity !== undefined)
    validateNodeAffinity(affinity.nodeAffinity, path.child('nodeAffinity'), errors);
  if (affinity?.podAffinity !== undefined) validatePodAffinity(affinity.podAffinity, path.child('podAffinity'), errors);
  if (affinity?.podAntiAffinity !== undefined)
    validatePodAffinity(affinity.podAntiAffinity, path.child('podAntiAffinity'), errors);
}

/** Affinity and anti-affinity have one shape. */
function validatePodAffinity(affinity: PodAffinity, path: FieldPath, errors: FieldErrors): void {
  const requiredPath = path.child('requiredDuringSchedulingIgnoredDuringExecution');
  for (const [i, term] of (affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries())
    validateTerm(term, requiredPath.index(i), errors);
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  for (const [i, { weight, podAffinityTerm }] of (
    affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []
  ).entries()) {
    validateWeight(weight, preferredPath.index(i).child('weight'), errors);
    validateTerm(podAffinityTerm, preferredPath.index(i).child('podAffinityTerm'), errors);
  }
}

function validateTerm(term: PodAffinityTerm, path: FieldPath, errors: FieldErrors): void {
  if (term.labelSelector !== undefined) validateLabelSelector(term.labelSelector, path.child('labelSelector'), errors);
  if (term.namespaceSelector !== undefined)
    validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector'), errors);
  for (const name of term.namespaces ?? [])
    reportProblems(nameIsDns1123Label(name, false), name, path.child('namespace'), errors);
  validateLabelKeys(term, path, errors);
  if (term.topologyKey === '') errors.required(path.child('topologyKey'), 'can not be empty');
  validateLabelName(term.topologyKey, path.child('topologyKey'), errors);
}
