import { createOwnIfAbsent } from '../registry/own-writes.ts';
import type { ResourceStore } from '../registry/resource-store.ts';

/** Namespaces that every cluster has. */
const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;

export async function ensureSystemNamespaces(namespaces: ResourceStore): Promise<void> {
  for (const name of systemNamespaces) await createOwnIfAbsent(namespaces, { metadata: { name } });
}
