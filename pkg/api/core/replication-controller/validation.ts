import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goStringMap } from '../../../apimachinery/values/go-format.ts';
import { validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { PodTemplateSpec, ReplicationController } from '../../../generated/types/core-v1.ts';
import type { ClusterPolicy, StrategyContext } from '../../resource-definition.ts';
import { validateReadOnlyDisks } from '../pod-spec/read-only-disks.ts';
import { validatePodTemplateSpec } from '../pod-spec/validation.ts';

export function validateReplicationController(
  { spec }: ReplicationController,
  errors: FieldErrors,
  { policy }: StrategyContext,
): void {
  const path = field('spec');
  const selector = spec.selector ?? {};
  validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors);
  if (Object.keys(selector).length === 0) errors.required(path.child('selector'));
  validateNonNegative(spec.replicas, path.child('replicas'), errors);
  if (spec.template === undefined) errors.required(path.child('template'));
  else validateTemplate(spec.template, selector, spec.replicas ?? 0, policy, path.child('template'), errors);
}

function validateTemplate(
  template: PodTemplateSpec,
  selector: Record<string, string>,
  replicas: number,
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const labels = template.metadata.labels;
  if (Object.entries(selector).some(([key, value]) => getKey(labels, key) !== value)) {
    errors.invalid(
      path.child('metadata', 'labels'),
      goStringMap(labels),
      '`selector` does not match template `labels`',
    );
  }
  validatePodTemplateSpec(template, policy, path, errors);
  if (replicas > 1) validateReadOnlyDisks(template.spec.volumes, path.child('spec', 'volumes'), errors);
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== 'Always') errors.notSupported(path.child('spec', 'restartPolicy'), restartPolicy, ['Always']);
  if (activeDeadlineSeconds !== undefined) {
    errors.forbidden(
      path.child('spec', 'activeDeadlineSeconds'),
      'activeDeadlineSeconds in ReplicationController is not Supported',
    );
  }
}

/** Kubernetes checks the new object both as one and as a change, and lists its errors twice. */
export function validateReplicationControllerUpdate(
  controller: ReplicationController,
  _old: ReplicationController,
  errors: FieldErrors,
  context: StrategyContext,
): void {
  validateReplicationController(controller, errors, context);
  validateReplicationController(controller, errors, context);
}

export function validateReplicationControllerStatusUpdate(
  controller: ReplicationController,
  _old: ReplicationController,
  errors: FieldErrors,
): void {
  const path = field('status');
  const { status } = controller;
  const { replicas, fullyLabeledReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const counts = {
    replicas,
    fullyLabeledReplicas,
    readyReplicas,
    availableReplicas,
    observedGeneration: status.observedGeneration,
  };
  for (const [name, count] of Object.entries(counts)) validateNonNegative(count, path.child(name), errors);
  for (const [name, count] of Object.entries({ fullyLabeledReplicas, readyReplicas, availableReplicas })) {
    if (count > replicas) errors.invalid(path.child(name), count, 'cannot be greater than status.replicas');
  }
  if (availableReplicas > readyReplicas)
    errors.invalid(path.child('availableReplicas'), availableReplicas, 'cannot be greater than readyReplicas');
}
