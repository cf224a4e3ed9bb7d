import { conflict, notFound } from '../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import type { DeleteOptions } from './delete-options.ts';
import { planDelete } from './deletion-plan.ts';
import { guaranteedUpdate } from './guaranteed-update.ts';
import type { ResourceStore } from './resource-store.ts';
import { runWrite } from './write-pipeline/run-write.ts';
import type { WriteAttempt, WriteIntent } from './write-pipeline/write-attempt.ts';
import type { WriteRequest } from './write-request.ts';

export interface DeleteRequest extends WriteRequest {
  readonly options: DeleteOptions;
  /** The client named a collection, not this object: admission sees the object and no name. */
  readonly ofCollection?: boolean;
}

export interface DeleteResult<T extends ApiObject = ApiObject> {
  /** The object's last state, or its state while finalizers or its grace period hold it. */
  readonly object: CachedObject<T>;
  readonly removed: boolean;
}

/** Deletes one object, now or as soon as its finalizers and grace period allow. Throws StatusError. */
export function deleteObject<T extends ApiObject>(
  store: ResourceStore<T>,
  request: DeleteRequest,
): Promise<DeleteResult<T>> {
  return deleteAny(store, request) as Promise<DeleteResult<T>>;
}

/** The pipeline is the same for all kinds. */
function deleteAny(store: ResourceStore, request: DeleteRequest): Promise<DeleteResult> {
  return guaranteedUpdate(store, 'delete', request, (current, bounded) => {
    if (current === undefined) throw notFound(store.groupResource, request.name);
    return runWrite(store, deletion(store, bounded, current), bounded, current);
  });
}

function deletion(store: ResourceStore, request: DeleteRequest, current: CachedObject): WriteIntent {
  return {
    operation: 'DELETE',
    transform(attempt) {
      attempt.old = current.object();
      checkDeletePreconditions(store, request, attempt.old);
      const plan = planDelete(store, request, current.privateObject());
      if (plan.kind === 'keep') return attempt.unchanged();
      if (plan.kind !== 'remove') attempt.object = plan.object;
      if (plan.kind !== 'mark') attempt.removal = plan.kind === 'remove' ? 'now' : 'after-mark';
      attempt.admitted = admittedRequest(store, request, attempt);
      return undefined;
    },
  };
}

/** The request as shown to admission. */
function admittedRequest(store: ResourceStore, request: DeleteRequest, attempt: WriteAttempt): WriteRequest {
  const requestOptions = {
    ...request.options,
    ...settledGrace(store, attempt),
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
  };
  return { ...request, name: request.ofCollection === true ? '' : request.name, requestOptions };
}

/** Where a kind has graceful deletion, admission sees the effective grace period, not the requested one. */
function settledGrace(store: ResourceStore, { object, old }: WriteAttempt): { gracePeriodSeconds?: number } {
  if (object === undefined || store.definition.gracePeriodSeconds?.(old!) === undefined) return {};
  return { gracePeriodSeconds: Number(object.metadata.deletionGracePeriodSeconds ?? 0) };
}

/** Throws unless the object is the one, in the state, that the client names. */
export function checkDeletePreconditions(store: ResourceStore, request: DeleteRequest, object: ApiObject): void {
  const wanted = request.options.preconditions;
  const { uid = '', resourceVersion = '' } = object.metadata;
  const kind = { group: store.definition.group, resource: store.definition.kind };
  if (wanted?.uid !== undefined && wanted.uid !== uid) {
    throw conflict(
      kind,
      request.name,
      `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (wanted?.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    throw conflict(
      kind,
      request.name,
      `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}
