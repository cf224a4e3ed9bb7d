import { normalize } from '../codec/normalize.ts';
import type { ApiObject } from '../apimachinery/object.ts';
import { createObject } from '../registry/create-object.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import type { WriteRequest } from '../registry/write-request.ts';
import { AdmissionChain, silentNotes } from './admission.ts';

/** A write that the server makes on its own account: it passes no admission. */
export function ownWrite(store: ResourceStore, namespace: string, name: string, nowMs: number, subresource = ''): WriteRequest {
  const requestVersion = store.definition.hub;
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const user = { name: 'system:apiserver', groups: ['system:masters'] };
  return { namespace, name, subresource, context: { now, user, requestVersion, dryRun: false }, admission: new AdmissionChain([]), notes: silentNotes };
}

/** Stores an object given in its hub version, with its defaults. Throws StatusError. */
export async function createOwn(store: ResourceStore, body: Partial<ApiObject>, nowMs: number): Promise<void> {
  const { version, schema } = store.scheme.hub(store.definition);
  const object: ApiObject = { ...normalize<ApiObject>(body, schema), kind: store.definition.kind, apiVersion: store.definition.hub };
  version.setDefaults?.(object);
  const { namespace = '', name = '' } = object.metadata;
  await createObject(store, object, ownWrite(store, namespace, name, nowMs));
}
