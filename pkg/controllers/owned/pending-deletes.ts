import type { Pod } from '../../generated/types/core-v1.ts';
import type { PendingWrites } from './pending-writes.ts';

/**
 * Pods of an owner with its own writes: those that it has deleted are shown as being deleted before the informer says
 * so. For owners whose next pod has to wait until the last one has left its name or its node.
 */
export function withPendingDeletes(
  pending: PendingWrites<Pod>,
  owner: string,
  shown: readonly Pod[],
  now: string,
): readonly Pod[] {
  const view = pending.view(owner, shown);
  if (view === shown) return shown;
  const left = new Set(view);
  const ending = shown
    .filter((pod) => !left.has(pod))
    .map((pod) => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: now } }));
  return [...view, ...ending];
}
