import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject, OwnerReference } from '../../apimachinery/meta/object.ts';
import type { CollectorSteps } from './collector-steps.ts';
import type { GraphNode } from './graph-node.ts';

const ATTEMPTS = 5;

/**
 * Changes the object of a node by what informers have shown of it; where that is too old, by what is stored. Resolves
 * false where the object is gone.
 */
export async function changeObject(
  node: GraphNode,
  { known, read }: CollectorSteps,
  change: (object: ApiObject) => Promise<unknown>,
): Promise<boolean> {
  const resource = node.resource!;
  let object = known(node);
  for (let attempt = 1; ; attempt++) {
    object ??= await read(resource, node.identity);
    if (object === undefined || object.metadata.uid !== node.identity.uid) return false;
    try {
      await change(object);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      object = undefined;
    }
  }
}

/** Removes a finalizer; an object without it stays as it is. */
export async function removeFinalizer(node: GraphNode, finalizer: string, steps: CollectorSteps): Promise<void> {
  await changeObject(node, steps, async (object) => {
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) return;
    await steps.patch(node.resource!, object, { finalizers: finalizers.filter((name) => name !== finalizer) });
  });
}

/** The references without those to these owners, as a merge patch has them. */
export function withoutOwners(
  { metadata }: ApiObject,
  uids: ReadonlySet<string>,
): { readonly ownerReferences: readonly OwnerReference[] | null } {
  const rest = (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
  return { ownerReferences: rest.length === 0 ? null : rest };
}
