import { semanticDeepEqual } from '../../../apimachinery/deep.ts';
import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import { field, FieldPath } from '../../../apimachinery/field-path.ts';
import { getKey } from '../../../apimachinery/own-keys.ts';
import { compareQuantities } from '../../../apimachinery/quantity.ts';
import type { Container, Pod, PodSpec } from '../../../generated/types/core-v1.ts';
import { MIRROR_POD } from '../pod-spec/annotations.ts';
import { qosClass } from './qos-class.ts';
import { validateChangedPod } from './validation.ts';

/** Printed as `[]`, as Kubernetes does for complaints about no field in particular. */
const WHOLE_POD = FieldPath.root().key('');

type List = 'containers' | 'initContainers';

/** CPU and memory of running containers can change, within the pod's class of service. */
export function validateResize(pod: Pod, old: Pod, errors: FieldErrors): void {
  const refusal = refusalOf(pod, old);
  if (refusal !== undefined) return errors.forbidden(WHOLE_POD, refusal);
  validateChangedPod(pod, old, errors);
  const path = field('spec');
  if ((old.status.qosClass || qosClass(old.spec)) !== qosClass(pod.spec)) {
    errors.invalid(path, pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing');
  }
  const running = (old.status.containerStatuses ?? []).find((status) => status.state.running !== undefined);
  if (running !== undefined && running.resources === undefined) errors.forbidden(path, 'Pod running on node without support for resize');
  for (const list of ['initContainers', 'containers'] as const) validateList(pod.spec, old.spec, list, path.child(list), errors);
}

function refusalOf(pod: Pod, old: Pod): string | undefined {
  if ([pod, old].some(({ spec }) => Object.keys(spec.resources?.requests ?? {}).length + Object.keys(spec.resources?.limits ?? {}).length > 0)) {
    return 'pods with pod-level resources cannot be resized';
  }
  if (old.metadata.annotations !== undefined && Object.hasOwn(old.metadata.annotations, MIRROR_POD)) return 'static pods cannot be resized';
  return old.spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

function validateList(spec: PodSpec, old: PodSpec, list: List, path: FieldPath, errors: FieldErrors): void {
  for (const [i, container] of (spec[list] ?? []).entries()) {
    const before = old[list]?.[i];
    if (before === undefined) continue;
    const sidecar = list === 'initContainers' && before.restartPolicy === 'Always';
    if (list === 'initContainers' && !sidecar) {
      if (!semanticDeepEqual(container, before)) errors.forbidden(field('spec'), 'resources for non-sidecar init containers are immutable');
      continue;
    }
    validateContainer(container, before, path.index(i).child('resources'), errors);
    if (!semanticDeepEqual(otherResources(container), otherResources(before)) || !semanticDeepEqual(container.resizePolicy, before.resizePolicy)) {
      errors.forbidden(field('spec'), `only cpu and memory resources ${sidecar ? 'for sidecar containers ' : ''}are mutable`);
    }
  }
}

function validateContainer(container: Container, old: Container, path: FieldPath, errors: FieldErrors): void {
  for (const kind of ['requests', 'limits'] as const) {
    const removed = Object.keys(old.resources[kind] ?? {}).some((name) => getKey(container.resources[kind], name) === undefined);
    if (removed) errors.forbidden(path.child(kind), `resource ${kind} cannot be removed`);
  }
  const policy = container.resizePolicy?.find((p) => p.resourceName === 'memory')?.restartPolicy;
  if (policy === 'RestartContainer') return;
  const limit = getKey<string>(container.resources.limits, 'memory');
  const before = getKey<string>(old.resources.limits, 'memory');
  const at = path.child('limits').key('memory');
  if (limit === undefined) return;
  if (before === undefined) errors.forbidden(at, 'memory limits cannot be added unless resizePolicy is RestartContainer');
  else if (compareQuantities(limit, before) < 0) errors.forbidden(at, 'memory limits cannot be decreased unless resizePolicy is RestartContainer');
}

function otherResources({ resources }: Container): unknown {
  const without = (list: Record<string, string> | undefined): [string, string][] => {
    return Object.entries(list ?? {}).filter(([name]) => name !== 'cpu' && name !== 'memory').sort(([a], [b]) => (a < b ? -1 : 1));
  };
  return { limits: without(resources.limits), requests: without(resources.requests), claims: resources.claims };
}
