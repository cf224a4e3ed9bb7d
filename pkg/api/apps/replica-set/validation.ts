import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ReplicaSet } from '../../../generated/types/apps-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { validateImmutableSelector } from '../../validation/immutable-selector.ts';
import { validateCounts, validateWithinReplicas } from '../counts.ts';
import { validateReplicatedTemplate, validateRequiredSelector } from '../pod-template.ts';

export const validateReplicaSetName = nameIsDns1123Subdomain;

export function validateReplicaSet({ spec }: ReplicaSet, errors: FieldErrors, { policy }: StrategyContext): void {
  const path = field('spec');
  validateCounts(spec, ['replicas', 'minReadySeconds'], path, errors);
  // Stock servers name the "deployment" here too.
  validateRequiredSelector(spec.selector, 'empty selector is invalid for deployment', path.child('selector'), errors);
  validateReplicatedTemplate(spec, policy, path, errors);
}

export function validateReplicaSetUpdate(
  object: ReplicaSet,
  old: ReplicaSet,
  errors: FieldErrors,
  context: StrategyContext,
): void {
  // As in stock servers, the rules of creation and those of updates both include the spec's: errors are reported twice.
  validateReplicaSet(object, errors, context);
  validateReplicaSet(object, errors, context);
  if (context.requestVersion === 'extensions/v1beta1') return;
  validateImmutableSelector(object.spec.selector, old.spec.selector, field('spec', 'selector'), errors);
}

const STATUS_COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'];

export function validateReplicaSetStatusUpdate({ status }: ReplicaSet, _old: ReplicaSet, errors: FieldErrors): void {
  const path = field('status');
  validateCounts(status, STATUS_COUNTS, path, errors);
  validateWithinReplicas(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], path, errors);
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0))
    errors.invalid(path.child('availableReplicas'), available, 'cannot be greater than readyReplicas');
}
