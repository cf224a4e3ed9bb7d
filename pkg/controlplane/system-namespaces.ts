import { reconcile, systemNamespaces } from '../controllers/system-namespaces/reconcile.ts';
import type { Namespace } from '../generated/types/core-v1.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { storedObject } from './stored-object.ts';

/** Before the server serves: nothing else can be made without a namespace. */
export async function ensureSystemNamespaces(namespaces: ResourceStore<Namespace>): Promise<void> {
  for (const name of systemNamespaces) await reconcile(name, storedObject(namespaces, { name }));
}
