import { beforeCreate, fillSystemFields } from '../api/before-create.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import {
  alreadyExists,
  failureStatus,
  generateNameConflict,
  invalid,
  StatusError,
} from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import { rollBack } from './resource-hooks.ts';
import type { ResourceStore } from './resource-store.ts';
import { UndoSteps } from './undo-steps.ts';
import { admissionRequest, type WriteRequest } from './write-request.ts';

/** Stores a new object, given as a hub object that becomes the registry's. Throws StatusError. */
export async function createObject(
  store: ResourceStore,
  object: ApiObject,
  write: WriteRequest,
): Promise<CachedObject> {
  await write.admission.admit(admissionRequest(store, write, 'CREATE', object, undefined));
  return storeNew(store, object, write);
}

/** The part after mutating admission, which an update that creates shares. */
export async function storeNew(store: ResourceStore, object: ApiObject, write: WriteRequest): Promise<CachedObject> {
  const { definition } = store;
  const { dryRun } = write.context;
  const version = Number(object.metadata.resourceVersion);
  fillSystemFields(object, write.context);
  const reservation = await store.hooks.beginCreate?.(object, dryRun);
  const undo = new UndoSteps();
  try {
    const errors = beforeCreate(definition, object, write.context);
    if (errors.length > 0) throw invalid(store.groupKind, object.metadata.name ?? '', errors);
    await write.admission.validate(admissionRequest(store, write, 'CREATE', object, undefined, undo));
    if (version > 0 && !dryRun) throw versionOnCreate();
    await reservation?.confirm?.();
    const created = await commitNew(store, object, dryRun);
    if (dryRun) await reservation?.rollback();
    else await reservation?.commit();
    return created;
  } catch (error) {
    await rollBack(undo, error);
    await rollBack(reservation, error);
    throw error;
  }
}

async function commitNew(store: ResourceStore, object: ApiObject, dryRun: boolean): Promise<CachedObject> {
  const name = object.metadata.name ?? '';
  const key = store.keyOf(object.metadata.namespace ?? '', name);
  const value = store.codec.encode(object);
  if (dryRun) {
    if ((await store.newest(key)) !== undefined) throw conflictingName(store, object, name);
    return store.unwritten(key, value, 0, object);
  }
  const result = await store.commit(key, 0, value, object);
  if ('newer' in result) throw conflictingName(store, object, name);
  return result.written;
}

/**
 * A stock server finds this only when it is about to store the object, and says it without a reason; what is no number
 * it ignores.
 */
function versionOnCreate(): Error {
  return new StatusError(failureStatus(500, '', 'resourceVersion should not be set on objects to be created'));
}

function conflictingName(store: ResourceStore, object: ApiObject, name: string): Error {
  if (object.metadata.generateName) return generateNameConflict(store.groupResource, name, 1);
  return alreadyExists(store.groupResource, name);
}
