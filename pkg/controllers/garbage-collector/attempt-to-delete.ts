import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../../apimachinery/meta/object-meta-validation.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { DeleteOptions } from '../../client/rest/client.ts';
import { changeObject, removeFinalizer, withoutOwners } from './change-object.ts';
import { classifyOwners, InvalidOwner, UnknownKind } from './classify-owners.ts';
import type { CollectorSteps } from './collector-steps.ts';
import { hasBlockingDependents, isVirtual, type GraphNode } from './graph-node.ts';
import type { OwnerGraph } from './owner-graph.ts';

/** An owner that is there, but that no informer has shown: its kind may not be followed. */
const UNSEEN_OWNER_MS = 30_000;

/**
 * Deletes an object that no owner keeps, or brings on the deletion of one that waits for its dependents. Returns the
 * milliseconds after which to look again.
 */
export async function attemptToDelete(
  node: GraphNode,
  graph: OwnerGraph,
  steps: CollectorSteps,
): Promise<number | undefined> {
  if (node.isDeleted && !node.isDeletingDependents) return undefined;
  if (isVirtual(node)) return checkVirtual(node, graph, steps);
  if (node.isDeletingDependents) {
    await awaitDependents(node, steps);
    return undefined;
  }
  try {
    const isThere = await changeObject(node, steps, (object) => collect(node, object, graph, steps));
    if (!isThere) graph.removeAbsent(node.identity);
  } catch (error) {
    if (!(error instanceof InvalidOwner)) throw error;
  }
  return undefined;
}

async function checkVirtual(node: GraphNode, graph: OwnerGraph, steps: CollectorSteps): Promise<number | undefined> {
  const { identity } = node;
  const resource = await steps.resourceOf(identity.apiVersion, identity.kind);
  if (resource === undefined) throw new UnknownKind(identity.apiVersion, identity.kind);
  // An object without namespace names an owner that has one: it cannot be looked up, and nothing is deleted for it.
  if (resource.namespaced && identity.namespace === '') return undefined;
  const found = await steps.read(resource, identity);
  // An informer may have shown it meanwhile.
  if (!isVirtual(node)) return undefined;
  if (found?.metadata.uid === identity.uid) return UNSEEN_OWNER_MS;
  graph.removeAbsent(identity);
  return undefined;
}

/**
 * The object goes when nothing blocks that any more. Its dependents are attempted by the graph: all of them when the
 * deletion begins, and later ones as they come.
 */
async function awaitDependents(node: GraphNode, steps: CollectorSteps): Promise<void> {
  if (!hasBlockingDependents(node)) await removeFinalizer(node, FINALIZER_FOREGROUND, steps);
}

async function collect(node: GraphNode, found: ApiObject, graph: OwnerGraph, steps: CollectorSteps): Promise<void> {
  const references = found.metadata.ownerReferences ?? [];
  if (references.length === 0) return;
  const resource = node.resource!;
  const { solid, dangling, waiting } = await classifyOwners(node, references, graph, steps);
  if (solid.length > 0) {
    const gone = new Set([...dangling, ...waiting].map(({ uid }) => uid));
    if (gone.size > 0) await steps.patch(resource, found, withoutOwners(found, gone));
    return;
  }
  if (waiting.length === 0 || node.dependents.size === 0) return steps.delete(resource, found, policyOf(found));
  const isCircular = [...node.dependents].some(({ isDeletingDependents }) => isDeletingDependents);
  const object = isCircular ? await unblockOwners(node, found, steps) : found;
  await steps.delete(resource, object, 'Foreground');
}

/** An owner further up waits for this object, which waits for it: one of them must not. */
function unblockOwners(node: GraphNode, object: ApiObject, { patch }: CollectorSteps): Promise<ApiObject> {
  const ownerReferences = (object.metadata.ownerReferences ?? []).map((owner) => ({
    ...owner,
    ...(owner.blockOwnerDeletion === true ? { blockOwnerDeletion: false } : {}),
  }));
  return patch(node.resource!, object, { ownerReferences });
}

function policyOf({ metadata: { finalizers = [] } }: ApiObject): DeleteOptions['propagationPolicy'] {
  if (finalizers.includes(FINALIZER_ORPHAN)) return 'Orphan';
  return finalizers.includes(FINALIZER_FOREGROUND) ? 'Foreground' : 'Background';
}
