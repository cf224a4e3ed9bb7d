import { FINALIZER_ORPHAN } from '../../apimachinery/meta/object-meta-validation.ts';
import { changeObject, removeFinalizer, withoutOwners } from './change-object.ts';
import type { CollectorSteps } from './collector-steps.ts';
import { isVirtual, type GraphNode } from './graph-node.ts';

/** Dependents that are changed at once. */
const CALLS_AT_ONCE = 20;

/** Makes the dependents of a deleted object stay without it, and lets it go then. Rejects where one cannot. */
export async function attemptToOrphan(node: GraphNode, steps: CollectorSteps): Promise<void> {
  if (isVirtual(node)) return;
  const owner = new Set([node.identity.uid]);
  const failures: unknown[] = [];
  const waiting = [...node.dependents].values();
  const release = async (): Promise<void> => {
    for (const dependent of waiting) {
      await changeObject(dependent, steps, async (object) => {
        if (object.metadata.ownerReferences?.some(({ uid }) => owner.has(uid)) !== true) return;
        await steps.patch(dependent.resource!, object, withoutOwners(object, owner));
      }).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, release));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} dependents keep their owner`);
  await removeFinalizer(node, FINALIZER_ORPHAN, steps);
}
