import { FINALIZER_FOREGROUND } from '../../apimachinery/meta/object-meta-validation.ts';
import type { ApiObject, OwnerReference } from '../../apimachinery/meta/object.ts';
import type { CollectorSteps } from './collector-steps.ts';
import { identityOfOwner, isVirtual, namesIt, type GraphNode } from './graph-node.ts';
import type { OwnerGraph } from './owner-graph.ts';

/** The owners of an object, by what keeps it alive. */
export interface ClassifiedOwners {
  readonly solid: readonly OwnerReference[];
  /** They are gone. */
  readonly dangling: readonly OwnerReference[];
  /** They wait, deleted, until their dependents are gone. */
  readonly waiting: readonly OwnerReference[];
}

/** Says of an object that it cannot be judged: it names an owner as no object can. */
export class InvalidOwner extends Error {}

/**
 * No such kind is served, or not yet: what a definition has just brought is found out a little later. Nothing is known
 * of the owner then.
 */
export class UnknownKind extends Error {
  constructor(apiVersion: string, kind: string) {
    super(`no resource is served for kind ${kind} of ${apiVersion}`);
  }
}

/** Rejects where the state of an owner cannot be found out: then nothing may be deleted. */
export async function classifyOwners(
  node: GraphNode,
  references: readonly OwnerReference[],
  graph: OwnerGraph,
  steps: CollectorSteps,
): Promise<ClassifiedOwners> {
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of references) {
    const owner = await findOwner(node, reference, graph, steps);
    if (owner === undefined) dangling.push(reference);
    else if (isDeletingDependents(owner)) waiting.push(reference);
    else solid.push(reference);
  }
  return { solid, dangling, waiting };
}

async function findOwner(
  { identity: { namespace } }: GraphNode,
  reference: OwnerReference,
  graph: OwnerGraph,
  { known, read, resourceOf }: CollectorSteps,
): Promise<ApiObject | undefined> {
  const { apiVersion, kind } = reference;
  const [inCluster, inNamespace] = [identityOfOwner(reference, ''), identityOfOwner(reference, namespace)];
  if (graph.absent.has(inCluster) || graph.absent.has(inNamespace)) return undefined;
  // Events of the owner bring this object back: to see it late is no harm as long as it is thought to be there.
  const seen = graph.node(reference.uid);
  if (seen !== undefined && !isVirtual(seen) && namesIt(reference, seen.identity)) {
    const isVisible = seen.identity.namespace === '' || seen.identity.namespace === namespace;
    const owner = isVisible ? known(seen) : undefined;
    if (owner !== undefined) return owner;
  }
  const resource = await resourceOf(apiVersion, kind);
  if (resource === undefined) throw new UnknownKind(apiVersion, kind);
  if (resource.namespaced && namespace === '')
    throw new InvalidOwner('an object without namespace names an owner that has one');
  const identity = resource.namespaced ? inNamespace : inCluster;
  const owner = await read(resource, identity);
  if (owner?.metadata.uid === reference.uid) return owner;
  graph.absent.add(identity);
  return undefined;
}

function isDeletingDependents({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FINALIZER_FOREGROUND) === true;
}
