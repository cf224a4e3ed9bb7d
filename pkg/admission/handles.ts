import { pods } from '../api/core/tokens.ts';
import type { NamedResource, Resource } from '../api/resource.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { Pod } from '../generated/types/core-v1.ts';
import type { AdmissionRequest } from './admission.ts';

/** The objects of a request by its operation, on a path whose body is the object itself. */
interface ObjectsOf<T extends ApiObject> {
  readonly CREATE: { readonly operation: 'CREATE'; readonly object: T; readonly oldObject: undefined };
  readonly UPDATE: { readonly operation: 'UPDATE'; readonly object: T; readonly oldObject: T };
  readonly DELETE: { readonly operation: 'DELETE'; readonly object: undefined; readonly oldObject: T };
}

type WriteOperation = keyof ObjectsOf<ApiObject>;

/** A write of an object of a known kind: its operation says which of the two objects there are. */
export type RequestOn<T extends ApiObject, O extends WriteOperation = WriteOperation> = {
  [P in O]: AdmissionRequest<T> & ObjectsOf<T>[P];
}[O] &
  AdmissionRequest<T>;

/** Whether a plugin has anything to say of a request, and of which kind its objects are then. */
export type Subject<R extends AdmissionRequest> = (request: AdmissionRequest) => request is R;

/** One round of a plugin, for the requests that it handles: all others pass at once, without an await. */
export function handles<R extends AdmissionRequest, Answer>(
  subject: Subject<R>,
  round: (request: R) => Answer,
): (request: AdmissionRequest) => Answer | undefined;
export function handles<Answer>(
  subject: (request: AdmissionRequest) => boolean,
  round: (request: AdmissionRequest) => Answer,
): (request: AdmissionRequest) => Answer | undefined;
export function handles<Answer>(
  subject: (request: AdmissionRequest) => boolean,
  round: (request: AdmissionRequest) => Answer,
): (request: AdmissionRequest) => Answer | undefined {
  return (request) => (subject(request) ? round(request) : undefined);
}

/** Requests that do one of these to objects of the resource itself, not to paths below them. */
export function requestsOn<T extends ApiObject, O extends WriteOperation>(
  resource: Resource<T>,
  ...operations: readonly O[]
): Subject<RequestOn<T, O>> {
  return requestsOnPath(resource, '', ...operations);
}

/** The same on a path below the objects whose body is the object, such as `status`. */
export function requestsOnPath<T extends ApiObject, O extends WriteOperation>(
  resource: Resource<T>,
  subresource: string,
  ...operations: readonly O[]
): Subject<RequestOn<T, O>> {
  return (request): request is RequestOn<T, O> =>
    request.subresource === subresource &&
    isFor(request, resource) &&
    (operations as readonly string[]).includes(request.operation);
}

/** True for requests on a resource and on the paths below its objects. */
export function isFor({ definition }: AdmissionRequest, { group, resource }: NamedResource): boolean {
  return definition.resource === resource && definition.group === group;
}

/**
 * The same for writes, of a resource whose paths all have the object as their body: `status`, `finalize` and the like,
 * but neither bindings nor scales nor tokens.
 */
export function isWriteOf<T extends ApiObject>(
  request: AdmissionRequest,
  resource: Resource<T>,
): request is RequestOn<T> {
  return request.operation !== 'CONNECT' && isFor(request, resource);
}

const isPodWrite = requestsOn(pods, 'CREATE', 'UPDATE');
const addsDebugContainer = requestsOnPath(pods, 'ephemeralcontainers', 'CREATE', 'UPDATE');

/**
 * True for writes of a pod's containers: creates and updates of pods, and additions to their `ephemeralcontainers`.
 * What looks at containers asks here, so that no way of adding one passes it by.
 */
export function writesContainers(request: AdmissionRequest): request is RequestOn<Pod, 'CREATE' | 'UPDATE'> {
  return isPodWrite(request) || addsDebugContainer(request);
}

/** True for changes of the resources of a running pod's containers. */
export const isPodResize = requestsOnPath(pods, 'resize', 'UPDATE');
