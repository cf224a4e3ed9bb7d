import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import { getKey } from '../../../apimachinery/own-keys.ts';
import { compareQuantities, parseQuantity } from '../../../apimachinery/quantity.ts';
import type { Quantity } from '../../../apimachinery/quantity.ts';
import type { PodSpec } from '../../../generated/types/core-v1.ts';
import { isHugePageResourceName } from '../../validation/resource-names.ts';
import { validateResourceRequirements } from './container-resources.ts';

const SUPPORTED = ['cpu', 'hugepages-', 'memory'];

/** Resources of the pod as a whole: what its containers ask for has to fit in. */
export function validatePodResources(spec: PodSpec, claimNames: ReadonlySet<string>, path: FieldPath, errors: FieldErrors): void {
  const resources = spec.resources;
  if (resources === undefined) return;
  if (resources.claims !== undefined) errors.forbidden(path.child('claims'), 'claims cannot be set for Resources at pod-level');
  for (const kind of ['limits', 'requests'] as const) {
    for (const name of Object.keys(resources[kind] ?? {})) {
      if (name !== 'cpu' && name !== 'memory' && !isHugePageResourceName(name)) errors.notSupported(path.child(kind).key(name), name, SUPPORTED);
    }
  }
  validateResourceRequirements({ limits: resources.limits, requests: resources.requests }, claimNames, path, errors);
  for (const [name, total] of containerRequests(spec)) {
    const request = getKey<string>(resources.requests, name);
    if (request === undefined || total.compare(parseQuantity(request)) <= 0) continue;
    errors.invalid(path.child('requests').key(name), request, `must be greater than or equal to aggregate container requests of ${total.toString()}`);
  }
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, limit] of Object.entries(container.resources.limits ?? {})) {
      const podLimit = getKey<string>(resources.limits, name);
      if (podLimit === undefined || compareQuantities(limit, podLimit) <= 0) continue;
      errors.invalid(path.child('containers').index(i).key(name).child('limits'), limit, `must be less than or equal to pod limits of ${podLimit}`);
    }
  }
}

function containerRequests(spec: PodSpec): Map<string, Quantity> {
  const totals = new Map<string, Quantity>();
  for (const container of spec.containers ?? []) {
    for (const [name, request] of Object.entries(container.resources.requests ?? {})) {
      const amount = parseQuantity(request);
      totals.set(name, totals.get(name)?.add(amount) ?? amount);
    }
  }
  return totals;
}
