import { groupVersionOf, type Resource } from '../../api/resource.ts';
import type { ApiObject, OwnerReference } from '../../apimachinery/meta/object.ts';

/** Which object: as its owner references name it, and where. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for objects without namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object in the owner graph. */
export interface GraphNode {
  identity: ObjectIdentity;
  /** Undefined for an owner that only references name: no informer has shown it yet. */
  resource: Resource | undefined;
  owners: readonly OwnerReference[];
  /** Changed by `addDependent` and `removeDependent` alone. */
  dependents: ReadonlySet<GraphNode>;
  isDeleted: boolean;
  /** Its deletion waits for that of its dependents: it was deleted in the foreground. */
  isDeletingDependents: boolean;
}

/** Of the many objects that own nothing: a set of its own would take 400 bytes of each. */
const NONE: ReadonlySet<GraphNode> = new Set();

export function newNode(identity: ObjectIdentity): GraphNode {
  return {
    identity,
    resource: undefined,
    owners: [],
    dependents: NONE,
    isDeleted: false,
    isDeletingDependents: false,
  };
}

export function addDependent(owner: GraphNode, dependent: GraphNode): void {
  if (owner.dependents === NONE) owner.dependents = new Set();
  (owner.dependents as Set<GraphNode>).add(dependent);
}

export function removeDependent(owner: GraphNode, dependent: GraphNode): void {
  if (owner.dependents !== NONE) (owner.dependents as Set<GraphNode>).delete(dependent);
}

/** An owner that is known by a reference alone, which may be wrong. */
export function isVirtual({ resource }: GraphNode): boolean {
  return resource === undefined;
}

export function identityOf(resource: Resource, { metadata }: ApiObject): ObjectIdentity {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { apiVersion: groupVersionOf(resource), kind: resource.kind, namespace, name, uid };
}

/** What a dependent says about its owner. */
export function identityOfOwner({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): ObjectIdentity {
  return { apiVersion, kind, namespace, name, uid };
}

export function keyOf({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string {
  return [apiVersion, kind, namespace, name, uid].join(' ');
}

/** Whether a reference names the object by its own coordinates; the namespace is not part of a reference. */
export function namesIt(reference: OwnerReference, identity: ObjectIdentity): boolean {
  return (
    reference.uid === identity.uid &&
    reference.apiVersion === identity.apiVersion &&
    reference.kind === identity.kind &&
    reference.name === identity.name
  );
}

/** Whether a dependent names the object rightly: by its coordinates, and from where it can be seen. */
export function isOwnedBy(dependent: GraphNode, owner: ObjectIdentity): boolean {
  if (owner.namespace !== '' && owner.namespace !== dependent.identity.namespace) return false;
  return dependent.owners.some((reference) => namesIt(reference, owner));
}

/** Whether a dependent has to go before the owner does. Stops at the first: it is asked as each of many goes. */
export function hasBlockingDependents({ identity, dependents }: GraphNode): boolean {
  for (const dependent of dependents) if (blocks(dependent, identity.uid)) return true;
  return false;
}

function blocks({ owners }: GraphNode, ownerUid: string): boolean {
  return owners.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true);
}
