import type { Pod } from '../generated/types/core-v1.ts';
import type { AdmissionRequest, Operation } from './admission.ts';

/** Whether a plugin has anything to say of a request. */
export type Subject = (request: AdmissionRequest) => boolean;

/** One round of a plugin, for the requests that are its subject: all others pass at once, not even waited for. */
export function handles<Answer>(
  subject: Subject,
  round: (request: AdmissionRequest) => Answer,
): (request: AdmissionRequest) => Answer | undefined {
  return (request) => (subject(request) ? round(request) : undefined);
}

/** Requests that do one of these to objects of the resource itself, not to paths below them. */
export function requestsOn(group: string, resource: string, ...operations: readonly Operation[]): Subject {
  return (request) => concerns(request, group, resource, ...operations);
}

/** True for requests on an object of the resource itself, not on a path below it. */
export function concerns(
  request: AdmissionRequest,
  group: string,
  resource: string,
  ...operations: readonly Operation[]
): boolean {
  return request.subresource === '' && isFor(request, group, resource) && operations.includes(request.operation);
}

/** True for requests on a resource and on the paths below its objects. */
export function isFor({ definition }: AdmissionRequest, group: string, resource: string): boolean {
  return definition.resource === resource && definition.group === group;
}

/**
 * The pod whose containers a request writes: creates and updates of pods, and additions to their `ephemeralcontainers`.
 * What looks at containers asks here, so that no way of adding one passes it by.
 */
export function writtenPod(request: AdmissionRequest): Pod | undefined {
  const { operation, subresource } = request;
  if (!isFor(request, '', 'pods') || (operation !== 'CREATE' && operation !== 'UPDATE')) return undefined;
  return subresource === '' || subresource === 'ephemeralcontainers' ? (request.object as Pod) : undefined;
}

/** True for changes of what the containers of a running pod may use. */
export function isPodResize(request: AdmissionRequest): boolean {
  return request.operation === 'UPDATE' && request.subresource === 'resize' && isFor(request, '', 'pods');
}
