import type { GarbageCollectionDefault } from '../api/resource-definition.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../apimachinery/meta/object-meta-validation.ts';
import { conflict, notFound } from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import type { DeleteOptions } from './delete-options.ts';
import { markNamespace } from './namespace-deletion.ts';
import type { Outrun, ResourceStore } from './resource-store.ts';
import { writeInTurns } from './write-in-turns.ts';
import { admissionRequest, type WriteRequest } from './write-request.ts';

export interface DeleteRequest extends WriteRequest {
  readonly options: DeleteOptions;
  /** The client named a collection, not this object: admission sees the object and no name. */
  readonly ofCollection?: boolean;
}

export interface DeleteResult {
  /** The object's last state, or its state while finalizers or its grace period hold it. */
  readonly object: CachedObject;
  readonly removed: boolean;
}

/** What is to happen to the stored object. */
type Plan = { kind: 'keep' } | Change;

type Change =
  /** Mark as being deleted; finalizers, a grace period or a namespace's content hold it. */
  | { kind: 'mark'; object: ApiObject }
  /** Mark, then remove: watchers of kinds with graceful deletion see both. */
  | { kind: 'mark-and-remove'; object: ApiObject }
  | { kind: 'remove' };

/** Deletes one object, now or as soon as its finalizers and grace period allow. Throws StatusError. */
export function deleteObject(store: ResourceStore, request: DeleteRequest): Promise<DeleteResult> {
  return writeInTurns(store, 'delete', request, async (current, turn) => {
    if (current === undefined) throw notFound(store.groupResource, request.name);
    checkPreconditions(store, turn, current.object());
    const plan = planDelete(store, turn, current);
    if (plan.kind === 'keep') return (await store.overtaking(current)) ?? { object: current, removed: false };
    // Each time: what admission saw must be what is deleted.
    await admitDelete(store, turn, current, plan);
    return attemptDelete(store, current, plan, turn);
  });
}

async function admitDelete(
  store: ResourceStore,
  request: DeleteRequest,
  current: CachedObject,
  plan: Change,
): Promise<void> {
  const name = request.ofCollection === true ? '' : request.name;
  const requestOptions = {
    ...request.options,
    ...settledGrace(store, current, plan),
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
  };
  const admission = admissionRequest(
    store,
    { ...request, name, requestOptions },
    'DELETE',
    undefined,
    current.object(),
  );
  await request.admission.admit(admission);
  await request.admission.validate(admission);
}

/** Where a kind has graceful deletion, admission sees how much time the object will have, whatever was asked for. */
function settledGrace(store: ResourceStore, current: CachedObject, plan: Change): { gracePeriodSeconds?: number } {
  if (!('object' in plan) || store.definition.gracePeriodSeconds?.(current.object()) === undefined) return {};
  return { gracePeriodSeconds: Number(plan.object.metadata.deletionGracePeriodSeconds ?? 0) };
}

type Attempt = DeleteResult | Outrun;

async function attemptDelete(
  store: ResourceStore,
  current: CachedObject,
  plan: Change,
  request: DeleteRequest,
): Promise<Attempt> {
  const key = store.keyOf(request.namespace, request.name);
  if (request.context.dryRun) return dryRun(store, key, current, plan);
  let marked = current;
  if (plan.kind !== 'remove') {
    const value = store.codec.encode(plan.object);
    if (plan.kind === 'mark' && Buffer.compare(value, current.value) === 0)
      return (await store.overtaking(current)) ?? { object: current, removed: false };
    const result = await store.commit(key, current.revision, value, plan.object);
    if ('newer' in result) return result;
    marked = result.written;
    if (plan.kind === 'mark') return { object: marked, removed: false };
  }
  return removeNow(store, key, marked, marked.privateObject());
}

function dryRun(store: ResourceStore, key: string, current: CachedObject, plan: Change): DeleteResult {
  if (plan.kind === 'remove') return { object: current, removed: true };
  return {
    object: store.unwritten(key, current.value, current.revision, plan.object),
    removed: plan.kind === 'mark-and-remove',
  };
}

/** Removes the key; `last` is the state to answer with. */
export async function removeNow(
  store: ResourceStore,
  key: string,
  current: CachedObject,
  last: ApiObject,
): Promise<Attempt> {
  const result = await store.remove(key, current.revision);
  if ('newer' in result) return result;
  await store.hooks.afterDelete?.(last);
  return { object: store.unwritten(key, store.codec.encode(last), result.revision, last), removed: true };
}

function checkPreconditions(store: ResourceStore, request: DeleteRequest, object: ApiObject): void {
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

function planDelete(store: ResourceStore, request: DeleteRequest, current: CachedObject): Plan {
  const object = current.privateObject();
  if (store.definition.resource === 'namespaces' && store.definition.group === '')
    return markNamespace(object, request);
  const graceful = planGrace(store, request, object);
  if (graceful === 'pending') return { kind: 'keep' };
  const policy = store.definition.garbageCollectionDefault?.(request.context.requestVersion) ?? 'background';
  if (store.collectsGarbage) setCollectionFinalizers(object, request.options, policy);
  const held = (object.metadata.finalizers?.length ?? 0) > 0;
  if (graceful === 'none') {
    if (!held) return { kind: 'remove' };
    markDeleting(object, request.context.now, 0);
    return { kind: 'mark', object };
  }
  return { kind: held || graceful.seconds > 0 ? 'mark' : 'mark-and-remove', object };
}

/**
 * `none`: the kind has no graceful deletion; `pending`: a running one stays as it is. Otherwise the object has been
 * marked.
 */
function planGrace(
  store: ResourceStore,
  request: DeleteRequest,
  object: ApiObject,
): 'none' | 'pending' | { seconds: number } {
  const asked = request.options.gracePeriodSeconds;
  const seconds = store.definition.gracePeriodSeconds?.(object, asked);
  if (seconds === undefined) return 'none';
  const meta = object.metadata;
  if (meta.deletionTimestamp !== undefined) {
    const running = Number(meta.deletionGracePeriodSeconds ?? 0);
    if (asked === undefined || asked >= running) return asked === 0 && running === 0 ? { seconds: 0 } : 'pending';
    const began = Date.parse(meta.deletionTimestamp) - running * 1000;
    meta.deletionTimestamp = rfc3339(began + asked * 1000);
    meta.deletionGracePeriodSeconds = asked;
    return { seconds: asked };
  }
  markDeleting(object, request.context.now, seconds);
  return { seconds };
}

function markDeleting(object: ApiObject, now: string, seconds: number): void {
  const meta = object.metadata;
  if (meta.deletionTimestamp === undefined && (meta.generation ?? 0) > 0) meta.generation = Number(meta.generation) + 1;
  meta.deletionTimestamp ??= rfc3339(Date.parse(now) + seconds * 1000);
  meta.deletionGracePeriodSeconds = seconds;
}

function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Sets the finalizers through which the garbage collector learns what to do with dependents. */
function setCollectionFinalizers(object: ApiObject, options: DeleteOptions, policy: GarbageCollectionDefault): void {
  const before = object.metadata.finalizers ?? [];
  const wanted = collectionFinalizer(before, options, policy);
  const rest = before.filter((f) => f !== FINALIZER_ORPHAN && f !== FINALIZER_FOREGROUND);
  const after = wanted === undefined ? rest : [...rest, wanted];
  if (after.length > 0) object.metadata.finalizers = after;
  else delete object.metadata.finalizers;
}

function collectionFinalizer(
  before: readonly string[],
  options: DeleteOptions,
  policy: GarbageCollectionDefault,
): string | undefined {
  if (policy === 'unsupported') return undefined;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? FINALIZER_ORPHAN : undefined;
  switch (options.propagationPolicy) {
    case 'Orphan':
      return FINALIZER_ORPHAN;
    case 'Foreground':
      return FINALIZER_FOREGROUND;
    case 'Background':
      return undefined;
    case undefined:
      break;
  }
  if (before.includes(FINALIZER_ORPHAN)) return FINALIZER_ORPHAN;
  if (before.includes(FINALIZER_FOREGROUND)) return FINALIZER_FOREGROUND;
  return policy === 'orphan' ? FINALIZER_ORPHAN : undefined;
}
