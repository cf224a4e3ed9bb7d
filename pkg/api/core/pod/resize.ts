import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../generated/types/core-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { MIRROR_POD } from '../pod-spec/annotations.ts';
import { qosClass } from './qos-class.ts';
import { validateAnnotationsAndSpec } from './validation.ts';

/** Printed as `[]`, as Kubernetes does for errors about no field in particular. */
const WHOLE_POD = FieldPath.root().key('');
const SPEC = field('spec');

type List = 'containers' | 'initContainers';
const LISTS: readonly List[] = ['initContainers', 'containers'];

/**
 * Of the change only resources, of the pod and its containers, and resize policies are taken. Other containers than
 * before are left for validation to refuse.
 */
export function takeResources(pod: Pod, old: Pod, restore: (pod: Pod, old: Pod) => void): void {
  const { resources } = pod.spec;
  const lists = LISTS.map((list) => [list, pod.spec[list] ?? [], old.spec[list] ?? []] as const);
  if (lists.some(([, containers, before]) => containers.length !== before.length)) return;
  restore(pod, old);
  if (resources === undefined) delete pod.spec.resources;
  else pod.spec.resources = resources;
  for (const [list, containers, before] of lists)
    if (before.length > 0) pod.spec[list] = withResources(before, containers);
}

function withResources(containers: readonly Container[], changed: readonly Container[]): Container[] {
  if (containers.some(({ name }, i) => changed[i]!.name !== name)) return [...changed];
  return containers.map((container, i) => {
    const { resources, resizePolicy } = changed[i]!;
    const merged = { ...container, resources };
    if (resizePolicy === undefined) delete merged.resizePolicy;
    else merged.resizePolicy = resizePolicy;
    return merged;
  });
}

/** CPU and memory of pods and containers can change, within the pod's class of service. */
export function validateResize(pod: Pod, old: Pod, errors: FieldErrors, { policy }: StrategyContext): void {
  const refusal = refusalOf(old);
  if (refusal !== undefined) return errors.forbidden(WHOLE_POD, refusal);
  const known = errors.length;
  validateAnnotationsAndSpec(pod, policy, errors);
  if ((old.status.qosClass || qosClass(old.spec)) !== qosClass(pod.spec)) {
    errors.invalid(SPEC, pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing');
  }
  // Nodes that can resize report the resources of their running containers.
  const running = (old.status.containerStatuses ?? []).find((status) => status.state.running !== undefined);
  if (running !== undefined && running.resources === undefined)
    errors.forbidden(SPEC, 'Pod running on node without support for resize');
  const namesWholePod = [pod, old].some(
    ({ spec: { resources } }) =>
      Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0,
  );
  if (namesWholePod) validatePodLevel(pod.spec.resources, old.spec.resources, SPEC.child('resources'), errors);
  if (!validateSameNames(pod.spec, old.spec, errors)) return;
  for (const list of LISTS)
    validateNothingRemoved(pod.spec[list] ?? [], old.spec[list] ?? [], SPEC.child(list), errors);
  validateOnlyCompute(pod.spec, old.spec, errors);
  if (errors.length === known && !semanticDeepEqual(withComputeOf(pod.spec, old.spec), old.spec))
    errors.forbidden(SPEC, 'only cpu and memory resources are mutable');
}

function refusalOf({ metadata, spec }: Pod): string | undefined {
  if (metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, MIRROR_POD))
    return 'static pods cannot be resized';
  return spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

function validatePodLevel(
  resources: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (resources === undefined)
    return old === undefined ? undefined : errors.forbidden(path, 'pod-level resources cannot be removed');
  for (const kind of ['requests', 'limits'] as const)
    if (isRemoved(resources[kind], old?.[kind]))
      errors.forbidden(path.child(kind), `pod-level resource ${kind} cannot be removed`);
  if (!semanticDeepEqual(computeOf(resources, old), old ?? {}))
    errors.forbidden(SPEC, 'only cpu and memory resources are mutable at pod-level');
}

function isRemoved(list: Record<string, string> | undefined, old: Record<string, string> | undefined): boolean {
  return Object.keys(old ?? {}).some((name) => getKey(list, name) === undefined);
}

/** False where the lists cannot be compared further. */
function validateSameNames(spec: PodSpec, old: PodSpec, errors: FieldErrors): boolean {
  let same = true;
  const refuse = (path: FieldPath, problem: string): void => {
    errors.forbidden(path, problem);
    same = false;
  };
  for (const list of ['containers', 'initContainers'] as const) {
    const [now, before] = [spec[list] ?? [], old[list] ?? []];
    if (now.length !== before.length) refuse(SPEC.child(list), `${list} may not be added or removed on resize`);
    else
      for (const [i, { name }] of before.entries())
        if (now[i]!.name !== name)
          refuse(SPEC.child(list).index(i).child('name'), `${list} may not be renamed or reordered on resize`);
  }
  return same;
}

function validateNothingRemoved(
  containers: readonly Container[],
  old: readonly Container[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [i, { resources }] of old.entries()) {
    for (const kind of ['requests', 'limits'] as const) {
      if (isRemoved(containers[i]!.resources[kind], resources[kind]))
        errors.forbidden(path.index(i).child('resources', kind), `resource ${kind} cannot be removed`);
    }
  }
}

function validateOnlyCompute(spec: PodSpec, old: PodSpec, errors: FieldErrors): void {
  for (const [i, container] of (spec.containers ?? []).entries()) {
    if (!semanticDeepEqual(asBefore(container, old.containers![i]!), old.containers![i]))
      errors.forbidden(SPEC, 'only cpu and memory resources are mutable');
  }
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    const before = old.initContainers![i]!;
    const path = SPEC.child('initContainers').index(i);
    if (!semanticDeepEqual(asBefore(container, before), before))
      errors.forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable');
    if (container.restartPolicy === 'Always' || semanticDeepEqual(container, before)) continue;
    for (const { restartPolicy } of container.resizePolicy ?? []) {
      if (restartPolicy === 'RestartContainer')
        errors.forbidden(
          path,
          'non-sidecar init containers with a resize policy of RestartContainer cannot be resized',
        );
    }
  }
}

/** The container with the CPU and memory that it had. */
function asBefore(container: Container, { resources }: Container): Container {
  const { claims: _claims, ...compute } = computeOf(container.resources, resources);
  return { ...container, resources: compute };
}

function computeOf(resources: ResourceRequirements, old: ResourceRequirements | undefined): ResourceRequirements {
  const kept: ResourceRequirements = { ...resources };
  for (const kind of ['requests', 'limits'] as const) {
    const amounts = new Map(Object.entries(resources[kind] ?? {}));
    for (const name of ['cpu', 'memory']) {
      const before = getKey<string>(old?.[kind], name);
      if (before === undefined) amounts.delete(name);
      else amounts.set(name, before);
    }
    kept[kind] = Object.fromEntries(amounts);
  }
  return kept;
}

function withComputeOf(spec: PodSpec, old: PodSpec): PodSpec {
  const changed: PodSpec = {
    ...spec,
    containers: (spec.containers ?? []).map((container, i) => asBefore(container, old.containers![i]!)),
  };
  if (spec.initContainers !== undefined)
    changed.initContainers = spec.initContainers.map((container, i) => asBefore(container, old.initContainers![i]!));
  if (old.resources === undefined) delete changed.resources;
  else changed.resources = old.resources;
  return changed;
}
