import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateLabelName } from '../../../apimachinery/meta/object-meta-validation.ts';
import type {
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
} from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';

/** Rules on the labels and fields of nodes: in pods, persistent volumes, storage capacities. */

export function validateNodeAffinity(affinity: NodeAffinity, path: FieldPath, errors: FieldErrors): void {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  if (required !== undefined)
    validateNodeSelector(required, path.child('requiredDuringSchedulingIgnoredDuringExecution'), errors);
  const preferredPath = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  for (const [i, term] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    validateWeight(term.weight, preferredPath.index(i).child('weight'), errors);
    validateNodeSelectorTerm(term.preference, preferredPath.index(i).child('preference'), errors);
  }
}

export function validateWeight(weight: number, path: FieldPath, errors: FieldErrors): void {
  if (weight <= 0 || weight > 100) errors.invalid(path, weight, 'must be in the range 1-100');
}

export function validateNodeSelector(selector: NodeSelector, path: FieldPath, errors: FieldErrors): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const at = path.child('nodeSelectorTerms');
  if (terms.length === 0) errors.required(at, 'must have at least one node selector term');
  for (const [i, term] of terms.entries()) validateNodeSelectorTerm(term, at.index(i), errors);
}

function validateNodeSelectorTerm(term: NodeSelectorTerm, path: FieldPath, errors: FieldErrors): void {
  for (const [i, rule] of (term.matchExpressions ?? []).entries())
    validateLabelRule(rule, path.child('matchExpressions').index(i), errors);
  for (const [i, rule] of (term.matchFields ?? []).entries())
    validateFieldRule(rule, path.child('matchFields').index(i), errors);
}

function validateLabelRule(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const valuesPath = path.child('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1)
        errors.required(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      break;
    default:
      errors.invalid(path.child('operator'), operator, 'not a valid selector operator');
  }
  validateLabelName(key, path.child('key'), errors);
}

/** Of a node's fields only its name can be selected. */
function validateFieldRule(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1)
      errors.required(
        path.child('values'),
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      );
  } else {
    errors.invalid(path.child('operator'), operator, 'not a valid selector operator');
  }
  if (key !== 'metadata.name') return errors.invalid(path.child('key'), key, 'not a valid field selector key');
  for (const [i, value] of values.entries())
    reportProblems(nameIsDns1123Subdomain(value, false), value, path.child('values').index(i), errors);
}
