import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey, setKey } from '../../../apimachinery/json/own-keys.ts';
import { compareQuantities, parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type { PodSpec, ResourceRequirements } from '../../../generated/types/core-v1.ts';
import { isHugePageResourceName, isOvercommitAllowed } from '../../validation/resource-names.ts';
import { aggregateContainers } from './aggregate-resources.ts';
import { validateResourceRequirements } from './container-resources.ts';

const SUPPORTED = ['cpu', 'hugepages-', 'memory'];

function isSupported(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePageResourceName(name);
}

/**
 * Completes resources of the pod as a whole where it names some: limits of huge pages and requests follow from its
 * containers, requests else from its limits.
 */
export function setPodResourceDefaults(spec: PodSpec): void {
  const { resources } = spec;
  if (resources === undefined) return;
  if (countOf(resources.limits) + countOf(resources.requests) > 0) setHugePageLimits(spec, resources);
  if (countOf(resources.limits) > 0) setRequests(spec, resources);
}

function setHugePageLimits(spec: PodSpec, resources: ResourceRequirements): void {
  for (const [name, limit] of aggregateContainers(spec, 'limits')) {
    if (
      !isHugePageResourceName(name) ||
      getKey(resources.requests, name) !== undefined ||
      getKey(resources.limits, name) !== undefined
    )
      continue;
    setKey((resources.limits ??= {}), name, limit.toString());
  }
}

function setRequests(spec: PodSpec, resources: ResourceRequirements): void {
  const fill = (name: string, amount: string): void => {
    if (getKey(resources.requests, name) === undefined) setKey((resources.requests ??= {}), name, amount);
  };
  for (const [name, request] of aggregateContainers(spec, 'requests'))
    if (isSupported(name) && isOvercommitAllowed(name)) fill(name, request.toString());
  for (const [name, limit] of Object.entries(resources.limits ?? {})) if (isSupported(name)) fill(name, limit);
}

function countOf(list: Record<string, string> | undefined): number {
  return Object.keys(list ?? {}).length;
}

/** Resources of the pod as a whole: the requests of its containers have to fit in. */
export function validatePodResources(
  spec: PodSpec,
  claimNames: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { resources } = spec;
  if (resources === undefined) return;
  if (spec.os?.name === 'windows') return errors.forbidden(path, 'may not be set for a windows pod');
  if (resources.claims !== undefined)
    errors.forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level');
  for (const kind of ['limits', 'requests'] as const) {
    for (const name of Object.keys(resources[kind] ?? {}))
      if (!isSupported(name)) errors.notSupported(path.child(kind).key(name), name, SUPPORTED);
  }
  validateResourceRequirements(resources, claimNames, path, errors);
  for (const [name, total] of aggregateContainers(spec, 'requests')) {
    const request = getKey<string>(resources.requests, name);
    if (request === undefined || total.compare(parseQuantity(request)) <= 0) continue;
    errors.invalid(
      path.child('requests').key(name),
      request,
      `must be greater than or equal to aggregate container requests of ${total.toString()}`,
    );
  }
  for (const [name, total] of aggregateContainers(spec, 'limits')) {
    const limit = isHugePageResourceName(name) ? getKey<string>(resources.limits, name) : undefined;
    if (limit === undefined || total.compare(parseQuantity(limit)) <= 0) continue;
    errors.invalid(
      path.child('limits').key(name),
      limit,
      `must be greater than or equal to aggregate container limits of ${total.toString()}`,
    );
  }
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, limit] of Object.entries(container.resources.limits ?? {})) {
      const podLimit = getKey<string>(resources.limits, name);
      if (podLimit === undefined || compareQuantities(limit, podLimit) <= 0) continue;
      errors.invalid(
        path.child('containers').index(i).key(name).child('limits'),
        limit,
        `must be less than or equal to pod limits of ${podLimit}`,
      );
    }
  }
}
