import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { Container, ContainerStatus, Pod, ResourceStatus } from '../../../generated/types/core-v1.ts';

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const CLAIM = 'claim:';
const MESSAGE_BYTES_MAX = 1024;

/** Checks the status of devices that containers got. */
export function validateAllocatedResources({ spec, status }: Pod, path: FieldPath, errors: FieldErrors): void {
  validateList(status.containerStatuses ?? [], spec.containers ?? [], path.child('containerStatuses'), errors);
  validateList(
    status.initContainerStatuses ?? [],
    spec.initContainers ?? [],
    path.child('initContainerStatuses'),
    errors,
  );
  for (const [i, { allocatedResourcesStatus }] of (status.ephemeralContainerStatuses ?? []).entries()) {
    if (allocatedResourcesStatus?.length)
      errors.forbidden(
        path.child('ephemeralContainerStatuses').index(i).child('allocatedResourcesStatus'),
        'must not be specified in container status',
      );
  }
}

function validateList(
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const byName = new Map(containers.map((container) => [container.name, container]));
  for (const [i, { name, allocatedResourcesStatus = [] }] of statuses.entries()) {
    for (const [j, allocated] of allocatedResourcesStatus.entries()) {
      validateAllocated(allocated, byName.get(name), path.index(i).child('allocatedResourcesStatus').index(j), errors);
    }
  }
}

/** A container that the pod does not have is skipped: statuses may be of an older spec. */
function validateAllocated(
  { name, resources = [] }: ResourceStatus,
  container: Container | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const problem = container === undefined ? undefined : nameProblem(name, container);
  if (problem !== undefined) errors.invalid(path.child('name'), name, problem);
  const seen = new Set<string>();
  for (const [k, { resourceID, health = '', message }] of resources.entries()) {
    const at = path.child('resources').index(k);
    if (!HEALTH.includes(health)) errors.notSupported(at.child('health'), health, HEALTH);
    if (message === '') errors.required(at.child('message'), 'must be non-empty if specified');
    else if (message !== undefined && Buffer.byteLength(message) > MESSAGE_BYTES_MAX)
      errors.tooLong(at.child('message'), message, MESSAGE_BYTES_MAX);
    if (seen.has(resourceID)) errors.duplicate(at.child('resourceID'), resourceID);
    seen.add(resourceID);
  }
}

function nameProblem(name: string, { resources }: Container): string | undefined {
  if (!name.startsWith(CLAIM))
    return getKey(resources.requests, name) === undefined
      ? "must match one of the container's resource requests"
      : undefined;
  const isClaimed = (resources.claims ?? []).some(
    (claim) => name === `${CLAIM}${claim.name}${claim.request ? `/${claim.request}` : ''}`,
  );
  return isClaimed
    ? undefined
    : "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
}
