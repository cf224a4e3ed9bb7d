import { nodes } from '../../api/core/tokens.ts';
import type { Clock } from '../../apimachinery/clock.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { retryOnConflict } from '../../client/reconcile/retry-on-conflict.ts';
import type { Client } from '../../client/rest/client.ts';
import type { Node, Taint } from '../../generated/types/core-v1.ts';
import type { TaintChange } from './condition-taints.ts';

/**
 * Adds and removes taints of a node, known by key and effect, with the time of adding; true: something was written.
 * `node` may be older than what is stored: after a conflict the newest one is read.
 */
export function changeTaints(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  node: Node,
  change: TaintChange,
): Promise<boolean> {
  const name = { name: node.metadata.name! };
  let current: Node | undefined = node;
  return retryOnConflict(
    async () => {
      const read: Node = current ?? (await client.get(nodes, name));
      current = undefined;
      const taints = changed(read.spec.taints ?? [], change, formatTime(new Date(clock.wallMs())));
      if (taints === undefined) return false;
      const { uid, resourceVersion } = read.metadata;
      const patch = { metadata: { uid, resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
      await client.patch(nodes, name, 'merge', patch);
      return true;
    },
    { clock },
  );
}

/** Undefined: nothing changes. */
function changed(known: readonly Taint[], { add, remove }: TaintChange, now: string): Taint[] | undefined {
  const kept = known.filter((taint) => !remove.some((one) => isSame(one, taint)));
  const added = add.filter((taint) => !known.some((one) => isSame(one, taint)));
  if (kept.length === known.length && added.length === 0) return undefined;
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: now }))];
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}
