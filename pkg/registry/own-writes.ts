import { noAdmission, silentNotes } from '../admission/admission.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { isAlreadyExists, notFound } from '../apimachinery/errors/status-error.ts';
import { normalize } from '../codec/normalize.ts';
import { createObject } from './create-object.ts';
import type { ResourceStore } from './resource-store.ts';
import { updateObject } from './update-object.ts';
import type { WriteRequest } from './write-request.ts';

/** A write of the server itself, by a member of `system:masters`: it passes no admission, and no policy bounds it. */
export function ownWrite(store: ResourceStore, namespace: string, name: string, nowMs = Date.now()): WriteRequest {
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const user = { name: 'system:apiserver', groups: ['system:masters'] };
  const context = { now, user, requestVersion: store.definition.hub, dryRun: false, policy: { allowPrivileged: true } };
  return { namespace, name, subresource: '', context, admission: noAdmission, notes: silentNotes };
}

/** Stores an object given in its hub version, with its defaults. Throws StatusError. */
export function createOwn(store: ResourceStore, body: object, nowMs?: number): Promise<void> {
  return createCompleted(store, completed(store, body), nowMs);
}

/** The same, unless an object of that name is there already. */
export async function createOwnIfAbsent(store: ResourceStore, body: object): Promise<void> {
  const object = completed(store, body);
  const { namespace = '', name = '' } = object.metadata;
  if ((await store.newest(store.keyOf(namespace, name))) !== undefined) return;
  try {
    await createCompleted(store, object);
  } catch (error) {
    // Another server was faster.
    if (!isAlreadyExists(error)) throw error;
  }
}

/**
 * Changes a stored object in place, defaults included; writes nothing where nothing changes. Throws 404 where it is
 * absent.
 */
export async function changeOwn<T extends ApiObject>(
  store: ResourceStore<T>,
  namespace: string,
  name: string,
  change: (object: T) => void,
): Promise<void> {
  await updateObject(store, {
    ...ownWrite(store, namespace, name),
    allowCreate: false,
    transform(current) {
      if (current === undefined) throw notFound(store.groupResource, name);
      const object = current.privateObject();
      change(object);
      store.scheme.hub(store.definition).version.setDefaults?.(object);
      return object;
    },
  });
}

async function createCompleted(store: ResourceStore, object: ApiObject, nowMs?: number): Promise<void> {
  const { namespace = '', name = '' } = object.metadata;
  await createObject(store, object, ownWrite(store, namespace, name, nowMs));
}

function completed(store: ResourceStore, body: object): ApiObject {
  const { version, schema } = store.scheme.hub(store.definition);
  const object: ApiObject = {
    ...normalize<ApiObject>(body, schema),
    kind: store.definition.kind,
    apiVersion: store.definition.hub,
  };
  version.setDefaults?.(object);
  return object;
}
