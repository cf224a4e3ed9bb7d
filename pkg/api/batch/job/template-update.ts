import { deepCopy, semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Job } from '../../../generated/types/batch-v1.ts';
import type { Container, PodTemplateSpec } from '../../../generated/types/core-v1.ts';
import { isConditionTrue } from './conditions.ts';

/**
 * A job that its controller has suspended, with no pod left, may change the placement and resources of its pods; else
 * the template stays.
 */
export function validateTemplateUpdate(
  template: PodTemplateSpec,
  old: Job,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const isAtRest =
    old.spec.suspend === true && isConditionTrue(old.status, 'Suspended') && (old.status.active ?? 0) === 0;
  if (!isAtRest) {
    // The whole template would flood the message.
    if (!semanticDeepEqual(template, old.spec.template))
      errors.invalid(path, goText('core.PodTemplateSpec{...}'), FIELD_IMMUTABLE);
    return;
  }
  const expected = withPlacementOf(template, old.spec.template);
  takeResources(template.spec.containers, expected.spec.containers);
  takeResources(template.spec.initContainers, expected.spec.initContainers);
  if (!semanticDeepEqual(template.spec, expected.spec))
    errors.invalid(path.child('spec'), goText('core.PodSpec{...}'), FIELD_IMMUTABLE);
}

/** The old template with the labels, annotations and node choice of the new one. */
function withPlacementOf(template: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const expected = deepCopy(old);
  const { affinity, nodeSelector, tolerations, schedulingGates } = template.spec;
  Object.assign(expected.spec, { nodeSelector, tolerations, schedulingGates });
  Object.assign(expected.metadata, { labels: template.metadata.labels, annotations: template.metadata.annotations });
  if (affinity === undefined) {
    delete expected.spec.affinity?.nodeAffinity;
    if (Object.keys(expected.spec.affinity ?? {}).length === 0) delete expected.spec.affinity;
  } else {
    expected.spec.affinity = { ...expected.spec.affinity, nodeAffinity: affinity.nodeAffinity };
  }
  return expected;
}

/** Gives the expected containers the resources of the new ones, name by name. */
function takeResources(
  containers: readonly Container[] | null | undefined,
  expected: readonly Container[] | null | undefined,
): void {
  if (containers?.length !== expected?.length) return;
  for (const [i, container] of (containers ?? []).entries())
    if (expected![i]!.name === container.name) expected![i]!.resources = container.resources;
}
