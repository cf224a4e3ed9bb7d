import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { inclusiveRangeError } from '../../../apimachinery/names/names.ts';
import type { Container, Pod, PodSchedulingGate, PodSpec } from '../../../generated/types/core-v1.ts';
import type { ClusterPolicy, StrategyContext } from '../../resource-definition.ts';
import {
  validatePodAnnotations,
  validatePodAnnotationsUpdate,
  validateSeccompAgreement,
} from '../pod-spec/annotations.ts';
import { validateImageTrimmed } from '../pod-spec/containers.ts';
import { validateOnlyAddedTolerations } from '../pod-spec/tolerations.ts';
import { validatePodSpec } from '../pod-spec/validation.ts';
import { validateGatedPlacement } from './gated-placement.ts';
import { specDifference } from './spec-difference.ts';

const INT32_MAX = 2147483647;
const ANNOTATIONS = field('metadata', 'annotations');
const SPEC = field('spec');

const CHANGEABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to ' +
  'existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Checks a new pod. */
export function validatePod(pod: Pod, errors: FieldErrors, { policy }: StrategyContext): void {
  validateAnnotationsAndSpec(pod, policy, errors);
  if (pod.spec.ephemeralContainers?.length)
    errors.forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create');
  for (const [i, { restartPolicy, resizePolicy = [] }] of (pod.spec.initContainers ?? []).entries()) {
    for (const [j, policy] of (restartPolicy === 'Always' ? [] : resizePolicy).entries()) {
      if (policy.restartPolicy !== 'RestartContainer') continue;
      const at = SPEC.child('initContainers').index(i).child('resizePolicy').index(j).child('restartPolicy');
      errors.invalid(at, policy.restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers");
    }
  }
  if (pod.spec.nodeName && pod.spec.schedulingGates?.length) {
    errors.forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared');
  }
  validateSeccompAgreement(pod.metadata, pod.spec, SPEC, errors);
}

/** Checks of each state of a pod, beyond the rules for templates. */
export function validateAnnotationsAndSpec(pod: Pod, policy: ClusterPolicy, errors: FieldErrors): void {
  const { metadata, spec } = pod;
  validatePodAnnotations(metadata.annotations, spec, ANNOTATIONS, errors);
  validatePodSpec(spec, metadata, policy, SPEC, errors);
  if (!spec.serviceAccountName) forbidServiceAccountTokens(spec, errors);
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [i, { image }] of (spec[list] ?? []).entries())
      validateImageTrimmed(image ?? '', SPEC.child(list).index(i).child('image'), errors);
  }
}

function forbidServiceAccountTokens(spec: PodSpec, errors: FieldErrors): void {
  for (const [v, volume] of (spec.volumes ?? []).entries()) {
    for (const [s, source] of (volume.projected?.sources ?? []).entries()) {
      if (source.serviceAccountToken === undefined) continue;
      const at = SPEC.child('volumes').index(v).child('projected', 'sources').index(s).child('serviceAccountToken');
      errors.forbidden(at, 'must not be specified when serviceAccountName is not set');
    }
  }
}

/** Annotations and spec, as all updates check them, except those of the status. */
export function validateChangedPod(pod: Pod, old: Pod, policy: ClusterPolicy, errors: FieldErrors): void {
  validateAnnotationsAndSpec(pod, policy, errors);
  validatePodAnnotationsUpdate(pod.metadata, old.metadata, pod.spec, ANNOTATIONS, errors);
}

/** Almost all of a pod is immutable: nodes act on it once. */
export function validatePodUpdate(pod: Pod, old: Pod, errors: FieldErrors, { policy }: StrategyContext): void {
  validateChangedPod(pod, old, policy, errors);
  if (!validateSameContainers(pod.spec.containers ?? [], old.spec.containers ?? [], SPEC.child('containers'), errors))
    return;
  if (
    !validateSameContainers(
      pod.spec.initContainers ?? [],
      old.spec.initContainers ?? [],
      SPEC.child('initContainers'),
      errors,
    )
  )
    return;
  if (!validateDeadline(pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds, errors)) return;
  validateOnlyAddedTolerations(
    pod.spec.tolerations ?? [],
    old.spec.tolerations ?? [],
    SPEC.child('tolerations'),
    errors,
  );
  validateOnlyRemovedGates(pod.spec.schedulingGates ?? [], old.spec.schedulingGates ?? [], errors);
  if (semanticDeepEqual(pod.spec, old.spec)) return;
  const rest = withoutChangeable(pod.spec, old.spec);
  if (old.spec.schedulingGates?.length) validateGatedPlacement(rest, old.spec, SPEC, errors);
  if (semanticDeepEqual(rest, old.spec)) return;
  errors.forbidden(
    SPEC,
    `pod updates may not change fields other than ${CHANGEABLE}\n${specDifference(old.spec, rest)}`,
  );
}

/** False when the lists cannot be compared further. */
function validateSameContainers(
  containers: readonly Container[],
  old: readonly Container[],
  path: FieldPath,
  errors: FieldErrors,
): boolean {
  if (containers.length !== old.length) {
    errors.forbidden(path, 'pod updates may not add or remove containers');
    return false;
  }
  for (const [i, { image = '' }] of containers.entries()) {
    if (image === '') errors.required(path.index(i).child('image'));
    validateImageTrimmed(image, path.index(i).child('image'), errors);
  }
  return true;
}

/** A deadline can be set or brought forward. False when it is wrong. */
function validateDeadline(deadline: number | undefined, old: number | undefined, errors: FieldErrors): boolean {
  const path = SPEC.child('activeDeadlineSeconds');
  if (deadline === undefined) {
    if (old !== undefined) errors.invalid(path, null, 'must not update from a positive integer to nil value');
    return true;
  }
  if (deadline < 0 || deadline > INT32_MAX) errors.invalid(path, deadline, inclusiveRangeError(0, INT32_MAX));
  else if (old !== undefined && old < deadline)
    errors.invalid(path, deadline, 'must be less than or equal to previous value');
  else return true;
  return false;
}

function validateOnlyRemovedGates(
  gates: readonly PodSchedulingGate[],
  old: readonly PodSchedulingGate[],
  errors: FieldErrors,
): void {
  const known = new Set(old.map((gate) => gate.name));
  for (const [i, { name }] of gates.entries()) {
    if (known.has(name)) continue;
    errors.forbidden(
      SPEC.child('schedulingGates').index(i).child('name'),
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    );
  }
}

/** The new spec with the old values of all mutable fields. */
function withoutChangeable(spec: PodSpec, old: PodSpec): PodSpec {
  const graceMended = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  return {
    ...spec,
    containers: withImages(spec.containers ?? [], old.containers ?? []),
    initContainers: withImages(spec.initContainers ?? [], old.initContainers ?? []),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    terminationGracePeriodSeconds: graceMended ? old.terminationGracePeriodSeconds : spec.terminationGracePeriodSeconds,
  };
}

function withImages(containers: readonly Container[], old: readonly Container[]): Container[] {
  return containers.map((container, i) => ({ ...container, image: old[i]?.image }));
}
