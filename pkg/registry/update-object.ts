import { storeNew } from './create-object.ts';
import { removeNow } from './delete-object.ts';
import { rollBack } from './resource-hooks.ts';
import type { Outrun, ResourceStore } from './resource-store.ts';
import { UndoSteps } from './undo-steps.ts';
import { writeInTurns } from './write-in-turns.ts';
import { admissionRequest, type WriteRequest } from './write-request.ts';
import { beforeUpdate } from '../api/before-update.ts';
import type { SubresourceDefinition } from '../api/resource-definition.ts';
import { FieldErrors } from '../apimachinery/errors/field-errors.ts';
import { field } from '../apimachinery/errors/field-path.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { conflict, invalid, isAlreadyExists, notFound } from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';

/** What an update is to do; `transform` runs again on the newer state when another writer was faster. */
export interface UpdateRequest extends WriteRequest {
  /**
   * Makes the new hub object, which the update takes possession of, from the stored one; undefined: it does not exist.
   * Throws StatusError to refuse.
   */
  transform(current: CachedObject | undefined): Promise<ApiObject> | ApiObject;
  /** A uid that the stored object must have. */
  readonly preconditionUid?: string | undefined;
  /** Throws unless whoever updates may also create: asked when the update is about to. */
  authorizeCreate?(): Promise<void>;
  /** Overrides the definition's `allowCreateOnUpdate`. */
  readonly allowCreate?: boolean;
}

export interface UpdateResult {
  readonly object: CachedObject;
  readonly created: boolean;
}

export const OPTIMISTIC_LOCK_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again';

/** Replaces an object or a part of it, as PUT and PATCH do. Throws StatusError. */
export function updateObject(store: ResourceStore, request: UpdateRequest): Promise<UpdateResult> {
  return writeInTurns(store, 'update', request, (current, turn) => attemptUpdate(store, current, turn));
}

type Attempt = UpdateResult | Outrun;

async function attemptUpdate(
  store: ResourceStore,
  current: CachedObject | undefined,
  request: UpdateRequest,
): Promise<Attempt> {
  const key = store.keyOf(request.namespace, request.name);
  if (current === undefined) return createInstead(store, key, request);
  const object = await request.transform(current);
  // Only now: what a patch has had decoded is copied.
  const old = current.privateObject();
  checkUid(store, request, old.metadata.uid ?? '', key);
  await request.admission.admit(admissionRequest(store, request, 'UPDATE', object, old));
  // Only now: what admission made of the object counts.
  checkVersion(store, object, current, request.name);
  const undo = new UndoSteps();
  // What a client sends to a subresource may differ from the object in parts that will not be taken over.
  const reservation =
    request.subresource === '' ? await store.hooks.beginUpdate?.(object, old, request.context.dryRun) : undefined;
  try {
    const errors = beforeUpdate(
      store.definition,
      subresourceOf(store, request.subresource),
      object,
      old,
      request.context,
    );
    if (errors.length > 0) throw invalid(store.groupKind, request.name, errors);
    await request.admission.validate(admissionRequest(store, request, 'UPDATE', object, old, undo));
    await reservation?.confirm?.();
    const outcome = await commitUpdate(store, key, current, object, request);
    if ('newer' in outcome) await undo.rollback();
    if (request.context.dryRun || 'newer' in outcome) await reservation?.rollback();
    else await reservation?.commit();
    return outcome;
  } catch (error) {
    await rollBack(undo, error);
    await rollBack(reservation, error);
    throw error;
  }
}

async function commitUpdate(
  store: ResourceStore,
  key: string,
  current: CachedObject,
  object: ApiObject,
  request: UpdateRequest,
): Promise<Attempt> {
  if (isReleased(object, request)) return removeReleased(store, key, current, object, request);
  const value = store.codec.encode(object);
  const isSame = Buffer.compare(value, current.value) === 0;
  if (isSame && (request.context.dryRun || store.store.isStale?.(key, current.revision) !== true)) {
    return (await store.overtaking(current)) ?? { object: current, created: false };
  }
  if (request.context.dryRun) return { object: store.unwritten(key, value, current.revision, object), created: false };
  const result = await store.commit(key, current.revision, value, object);
  return 'written' in result ? { object: result.written, created: false } : result;
}

/** The last finalizer of an object that is being deleted has gone. */
function isReleased(object: ApiObject, request: UpdateRequest): boolean {
  const meta = object.metadata;
  if (meta.deletionTimestamp === undefined || (meta.finalizers?.length ?? 0) > 0) return false;
  const namespaceFinalizers = (object as { spec?: { finalizers?: string[] } }).spec?.finalizers;
  if (request.subresource === 'finalize' || object.kind === 'Namespace')
    return (namespaceFinalizers?.length ?? 0) === 0;
  return (meta.deletionGracePeriodSeconds ?? 0) === 0;
}

async function removeReleased(
  store: ResourceStore,
  key: string,
  current: CachedObject,
  object: ApiObject,
  request: UpdateRequest,
): Promise<Attempt> {
  if (request.context.dryRun)
    return { object: store.unwritten(key, store.codec.encode(object), current.revision, object), created: false };
  const removed = await removeNow(store, key, current, object);
  return 'newer' in removed ? removed : { object: removed.object, created: false };
}

async function createInstead(store: ResourceStore, key: string, update: UpdateRequest): Promise<Attempt> {
  const allowed = update.subresource === '' && (update.allowCreate ?? store.definition.allowCreateOnUpdate ?? false);
  checkUid(store, update, '', key);
  if (!allowed) throw notFound(store.groupResource, update.name);
  const object = await update.transform(undefined);
  if (object.metadata.resourceVersion) throw notFound(store.groupResource, update.name);
  const request = { ...update, insteadOfUpdate: true, requestOptions: asCreateOptions(update.requestOptions) };
  await request.admission.admit(admissionRequest(store, request, 'CREATE', object, undefined));
  await request.authorizeCreate?.();
  try {
    return { object: await storeNew(store, object, request), created: true };
  } catch (error) {
    // Somebody else has created it since: there is something to update after all.
    if (isAlreadyExists(error)) return { newer: await store.newest(key) };
    throw error;
  }
}

/** What a client says of an update that creates, as admission expects it with creates. */
function asCreateOptions(options: object | undefined): object | undefined {
  return options === undefined ? undefined : { ...options, kind: 'CreateOptions' };
}

function checkUid(store: ResourceStore, request: UpdateRequest, uid: string, key: string): void {
  const wanted = request.preconditionUid;
  if (!wanted || wanted === uid) return;
  const detail = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`;
  throw conflict(
    store.groupResource,
    request.name,
    `StorageError: invalid object, Code: 4, Key: /registry/${key}, ResourceVersion: 0, AdditionalErrorMsg: ${detail}`,
  );
}

/**
 * The client's version must be the stored one; without a version the update is unconditional, where the kind allows it.
 */
function checkVersion(store: ResourceStore, object: ApiObject, current: CachedObject, name: string): void {
  const version = object.metadata.resourceVersion ?? '';
  if (version === '' || version === '0') {
    if (store.definition.allowUnconditionalUpdate === false) {
      const errors = new FieldErrors();
      errors.invalid(
        field('metadata', 'resourceVersion'),
        version === '' ? 0 : Number(version),
        'must be specified for an update',
      );
      // Stock servers name the resource here, where the kind belongs.
      throw invalid({ group: store.groupResource.group, kind: store.groupResource.resource }, name, errors);
    }
    object.metadata.resourceVersion = String(current.revision);
    return;
  }
  if (version !== String(current.revision)) throw conflict(store.groupResource, name, OPTIMISTIC_LOCK_MESSAGE);
}

function subresourceOf(store: ResourceStore, name: string): SubresourceDefinition<ApiObject> | undefined {
  if (name === '') return undefined;
  return store.definition.subresources?.find((s) => s.name === name);
}
