import type { ResourceStore } from '../registry/resource-store.ts';
import { createOwnIfAbsent } from '../registry/own-writes.ts';
import { systemNamespaces } from './system-namespaces.ts';

/**
 * The account that pods of the namespaces that every cluster has run as unless they say otherwise. Elsewhere a
 * controller makes it; a server that is a whole cluster by itself does so here, so that its first pod is not refused.
 */
export async function ensureDefaultServiceAccounts(accounts: ResourceStore): Promise<void> {
  for (const namespace of systemNamespaces)
    await createOwnIfAbsent(accounts, { metadata: { name: 'default', namespace } });
}
