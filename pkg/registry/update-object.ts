import type { ApiObject } from '../apimachinery/meta/object.ts';
import { FieldErrors } from '../apimachinery/errors/field-errors.ts';
import { field } from '../apimachinery/errors/field-path.ts';
import { conflict, invalid, notFound } from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import { guaranteedUpdate } from './guaranteed-update.ts';
import type { Conflict, ResourceStore } from './resource-store.ts';
import { runWrite } from './write-pipeline/run-write.ts';
import type { WriteAttempt, WriteIntent, WriteOutcome } from './write-pipeline/write-attempt.ts';
import type { WriteRequest } from './write-request.ts';

/** The requested update; `transform` runs again on the newer state when another writer was faster. */
export interface UpdateRequest<T extends ApiObject = ApiObject> extends WriteRequest {
  /**
   * Makes the new hub object, which the update takes ownership of, from the stored one; undefined: it does not exist.
   * Throws StatusError to refuse.
   */
  transform(current: CachedObject<T> | undefined): Promise<T> | T;
  /** The required uid of the stored object. */
  readonly preconditionUid?: string | undefined;
  /** Throws unless the client may also create: called when the update is about to. */
  authorizeCreate?(): Promise<void>;
  /** Overrides the definition's `allowCreateOnUpdate`. */
  readonly allowCreate?: boolean;
}

export interface UpdateResult<T extends ApiObject = ApiObject> {
  readonly object: CachedObject<T>;
  readonly created: boolean;
}

export const OPTIMISTIC_LOCK_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again';

/** Replaces an object or a part of it, as PUT and PATCH do. Throws StatusError. */
export function updateObject<T extends ApiObject>(
  store: ResourceStore<T>,
  request: UpdateRequest<T>,
): Promise<UpdateResult<T>> {
  return updateAny(store, request) as Promise<UpdateResult<T>>;
}

/** The pipeline is the same for all kinds. */
function updateAny(store: ResourceStore, request: UpdateRequest): Promise<UpdateResult> {
  return guaranteedUpdate(store, 'update', request, (current, bounded) =>
    current === undefined
      ? createInstead(store, bounded)
      : runWrite(store, replacement(store, bounded, current), bounded, current),
  );
}

function replacement(store: ResourceStore, request: UpdateRequest, current: CachedObject): WriteIntent {
  return {
    operation: 'UPDATE',
    async transform(attempt) {
      attempt.object = await request.transform(current);
      // Only now: the decoded fields of a patch are copied.
      attempt.old = current.privateObject();
      checkUid(store, request, attempt.old.metadata.uid ?? '');
    },
    checkPreconditions: (attempt) => checkVersion(store, attempt, current),
  };
}

/** An update of a missing object creates it, where the kind allows that. */
function createInstead(store: ResourceStore, update: UpdateRequest): Promise<WriteOutcome | Conflict> {
  const allowed = update.subresource === '' && (update.allowCreate ?? store.definition.allowCreateOnUpdate ?? false);
  checkUid(store, update, '');
  if (!allowed) throw notFound(store.groupResource, update.name);
  const intent: WriteIntent = {
    operation: 'CREATE',
    async transform(attempt) {
      attempt.object = await update.transform(undefined);
      if (attempt.object.metadata.resourceVersion) throw notFound(store.groupResource, update.name);
    },
    checkPreconditions: () => update.authorizeCreate?.(),
  };
  const request = { ...update, insteadOfUpdate: true, requestOptions: asCreateOptions(update.requestOptions) };
  return runWrite(store, intent, request, undefined);
}

/** The options of an update that creates, in the form of create options for admission. */
function asCreateOptions(options: object | undefined): object | undefined {
  return options === undefined ? undefined : { ...options, kind: 'CreateOptions' };
}

function checkUid(store: ResourceStore, request: UpdateRequest, uid: string): void {
  const wanted = request.preconditionUid;
  if (!wanted || wanted === uid) return;
  const detail = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`;
  throw conflict(
    store.groupResource,
    request.name,
    `StorageError: invalid object, Code: 4, Key: /registry/${store.keyOf(request.namespace, request.name)}, ResourceVersion: 0, AdditionalErrorMsg: ${detail}`,
  );
}

/**
 * The client's version must be the stored one; without a version the update is unconditional, where the kind allows it.
 */
function checkVersion(store: ResourceStore, { object, write }: WriteAttempt, current: CachedObject): void {
  const { name } = write;
  const { metadata } = object!;
  const version = metadata.resourceVersion ?? '';
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
    metadata.resourceVersion = String(current.revision);
    return;
  }
  if (version !== String(current.revision)) throw conflict(store.groupResource, name, OPTIMISTIC_LOCK_MESSAGE);
}
