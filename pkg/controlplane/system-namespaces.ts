import { createObject } from '../registry/create-object.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { isAlreadyExists } from '../apimachinery/status-error.ts';
import { AdmissionChain, silentNotes } from '../admission/admission.ts';
import type { StrategyContext } from '../api/resource-definition.ts';
import { normalize } from '../codec/normalize.ts';
import type { ApiObject } from '../apimachinery/object.ts';

/** Namespaces that every cluster has. */
export const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;

/** The server itself, acting on its own behalf. */
export function systemContext(requestVersion: string): StrategyContext {
  return { now: `${new Date().toISOString().slice(0, 19)}Z`, user: { name: 'system:apiserver', groups: ['system:masters'] }, requestVersion, dryRun: false };
}

/** Creates an object of the server's own unless it exists; `body` is in the hub's version. */
export async function createIfAbsent(store: ResourceStore, body: object): Promise<void> {
  const hub = store.scheme.hub(store.definition);
  const object = normalize<ApiObject>(body, hub.schema);
  hub.version.setDefaults?.(object);
  const { name = '', namespace = '' } = object.metadata;
  if ((await store.newest(store.keyOf(namespace, name))) !== undefined) return;
  try {
    await createObject(store, { ...object, kind: store.definition.kind, apiVersion: store.definition.hub }, {
      namespace, name, subresource: '', context: systemContext(store.definition.hub), admission: new AdmissionChain([]), notes: silentNotes,
    });
  } catch (error) {
    // Another replica was faster.
    if (!isAlreadyExists(error)) throw error;
  }
}

export async function ensureSystemNamespaces(namespaces: ResourceStore): Promise<void> {
  for (const name of systemNamespaces) await createIfAbsent(namespaces, { metadata: { name } });
}
