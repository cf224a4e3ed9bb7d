import type { Resource } from '../../api/resource.ts';
import { FINALIZER_FOREGROUND, FINALIZER_ORPHAN } from '../../apimachinery/meta/object-meta-validation.ts';
import type { ApiObject, OwnerReference } from '../../apimachinery/meta/object.ts';
import { AbsentOwners } from './absent-owners.ts';
import {
  addDependent,
  hasBlockingDependents,
  identityOf,
  identityOfOwner,
  isOwnedBy,
  isVirtual,
  keyOf,
  namesIt,
  newNode,
  removeDependent,
  type GraphNode,
  type ObjectIdentity,
} from './graph-node.ts';

/** Takes what the graph finds out. Keys are uids. */
export interface GraphFindings {
  /** The object may have to be deleted, or waits for dependents that may be gone. */
  readonly attemptToDelete: (uid: string) => void;
  /** The object is deleted, and its dependents are to stay. */
  readonly attemptToOrphan: (uid: string) => void;
  /** A reference to an owner in another namespace, which means an object that is not there. */
  readonly invalidNamespace: (dependent: GraphNode, reference: OwnerReference) => void;
}

/**
 * Who owns whom, of all objects that informers have shown, and of owners that their references name. Only the graph:
 * decisions are left to who attempts to delete, by what the server says.
 *
 * Invariant: a node is among the dependents of the node of each of its owners.
 */
export class OwnerGraph {
  readonly absent = new AbsentOwners();
  private readonly nodes = new Map<string, GraphNode>();
  private readonly findings: GraphFindings;

  constructor(findings: GraphFindings) {
    this.findings = findings;
  }

  get size(): number {
    return this.nodes.size;
  }

  node(uid: string): GraphNode | undefined {
    return this.nodes.get(uid);
  }

  /** An informer shows an object, or a new state of it. */
  put(resource: Resource, object: ApiObject, old?: ApiObject): void {
    const identity = identityOf(resource, object);
    const owners = object.metadata.ownerReferences ?? [];
    let node = this.nodes.get(identity.uid);
    if (node === undefined) {
      node = newNode(identity);
      this.nodes.set(identity.uid, node);
    } else if (isVirtual(node)) this.observe(node, identity);
    node.resource = resource;
    node.identity = identity;
    this.setOwners(node, owners);
    if (object.metadata.deletionTimestamp === undefined) return;
    node.isDeleted = true;
    this.beginDeletion(node, object, old);
  }

  /** An informer shows that an object is gone. */
  remove({ metadata }: ApiObject): void {
    const node = this.nodes.get(metadata.uid ?? '');
    if (node !== undefined) this.drop(node);
  }

  /** The server says that there is no object of these coordinates. */
  removeAbsent(identity: ObjectIdentity): void {
    const node = this.nodes.get(identity.uid);
    if (node === undefined) return;
    const isSame = keyOf(node.identity) === keyOf(identity);
    if (!isVirtual(node)) {
      if (isSame) this.drop(node);
      else this.markAbsent(node, identity);
      return;
    }
    const others = [...node.dependents].filter((dependent) => !isOwnedBy(dependent, identity));
    if (others.length === 0) return this.drop(node);
    // Dependents disagree about the coordinates of their owner: try those of the others.
    this.markAbsent(node, identity);
    if (!isSame) return;
    const alternative = otherIdentity(others, identity);
    if (alternative === undefined) return;
    node.identity = alternative;
    this.findings.attemptToDelete(alternative.uid);
  }

  /** Dependents that mean just these coordinates have no such owner. */
  private markAbsent(node: GraphNode, identity: ObjectIdentity): void {
    const matching = [...node.dependents].filter((dependent) => isOwnedBy(dependent, identity));
    if (matching.length === 0) return;
    this.absent.add(identity);
    for (const dependent of matching) this.findings.attemptToDelete(dependent.identity.uid);
  }

  /** The node was known by references alone: those that say something else are wrong. */
  private observe(node: GraphNode, identity: ObjectIdentity): void {
    if (keyOf(node.identity) === keyOf(identity)) return;
    for (const dependent of node.dependents) {
      if (isOwnedBy(dependent, identity)) continue;
      if (identity.namespace !== '' && dependent.identity.namespace !== identity.namespace)
        this.reportNamespace(dependent, identity.uid);
      this.findings.attemptToDelete(dependent.identity.uid);
    }
  }

  private setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const known = node.owners;
    node.owners = owners;
    // Most objects have no owners or keep them, and change often.
    if (isSame(owners, known)) return;
    const before = new Map(known.map((owner) => [owner.uid, owner]));
    const after = new Map(owners.map((owner) => [owner.uid, owner]));
    const added = owners.filter(({ uid }) => !before.has(uid));
    for (const [uid, old] of before) {
      const owner = this.nodes.get(uid);
      const current = after.get(uid);
      const isUnblocked = old.blockOwnerDeletion === true && current?.blockOwnerDeletion !== true;
      if (current === undefined && owner !== undefined) removeDependent(owner, node);
      if (isUnblocked && owner !== undefined) this.attemptUnblocked(owner);
    }
    this.addToOwners(node, added);
  }

  private addToOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    let isDoubtful = false;
    const { namespace } = node.identity;
    for (const reference of owners) {
      const owner = this.nodes.get(reference.uid);
      if (owner === undefined) {
        this.addVirtual(node, reference);
        continue;
      }
      addDependent(owner, node);
      // It came after the others were attempted.
      if (owner.isDeletingDependents) isDoubtful = true;
      const { identity } = owner;
      if (identity.namespace !== '' && identity.namespace !== namespace) {
        if (!isVirtual(owner)) this.reportNamespace(node, reference.uid);
        isDoubtful = true;
      } else if (!namesIt(reference, identity)) isDoubtful = true;
      else if (identity.namespace === '' && namespace !== '' && isVirtual(owner)) isDoubtful = true;
    }
    if (isDoubtful) this.findings.attemptToDelete(node.identity.uid);
  }

  /** An owner that no informer has shown yet: whether it is there is asked of the server. */
  private addVirtual(dependent: GraphNode, reference: OwnerReference): void {
    const owner = newNode(identityOfOwner(reference, dependent.identity.namespace));
    addDependent(owner, dependent);
    this.nodes.set(reference.uid, owner);
    this.findings.attemptToDelete(reference.uid);
  }

  private beginDeletion(node: GraphNode, object: ApiObject, old: ApiObject | undefined): void {
    const begins = (finalizer: string): boolean =>
      hasFinalizer(object, finalizer) &&
      (old?.metadata.deletionTimestamp === undefined || !hasFinalizer(old, finalizer));
    if (begins(FINALIZER_ORPHAN)) return this.findings.attemptToOrphan(node.identity.uid);
    if (!begins(FINALIZER_FOREGROUND)) return;
    node.isDeletingDependents = true;
    for (const { identity } of node.dependents) this.findings.attemptToDelete(identity.uid);
    this.findings.attemptToDelete(node.identity.uid);
  }

  private drop(node: GraphNode): void {
    const { identity, dependents, owners } = node;
    this.nodes.delete(identity.uid);
    if (dependents.size > 0) this.absent.add(identity);
    for (const dependent of dependents) this.findings.attemptToDelete(dependent.identity.uid);
    for (const { uid } of owners) {
      const owner = this.nodes.get(uid);
      if (owner === undefined) continue;
      removeDependent(owner, node);
      this.attemptUnblocked(owner);
    }
  }

  /** Only the last of many dependents brings on the deletion of an owner that waits for them. */
  private attemptUnblocked(owner: GraphNode): void {
    if (owner.isDeletingDependents && !hasBlockingDependents(owner)) this.findings.attemptToDelete(owner.identity.uid);
  }

  private reportNamespace(dependent: GraphNode, uid: string): void {
    const reference = dependent.owners.find((owner) => owner.uid === uid);
    if (reference !== undefined) this.findings.invalidNamespace(dependent, reference);
  }
}

/** In the same order, as is seldom otherwise. */
function isSame(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  return a.length === b.length && a.every((reference, i) => isEqual(reference, b[i]!));
}

function isEqual(a: OwnerReference, b: OwnerReference): boolean {
  if (a === b) return true;
  if (a.uid !== b.uid || a.blockOwnerDeletion !== b.blockOwnerDeletion) return false;
  return a.apiVersion === b.apiVersion && a.kind === b.kind && a.name === b.name;
}

/** Which other object the dependents may mean: the next one by its coordinates, so that all have their turn. */
function otherIdentity(
  dependents: readonly GraphNode[],
  { uid, ...absent }: ObjectIdentity,
): ObjectIdentity | undefined {
  const key = keyOf({ uid, ...absent });
  const found = new Map<string, ObjectIdentity>();
  for (const { owners, identity } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== uid) continue;
      const other = identityOfOwner(reference, identity.namespace);
      found.set(keyOf(other), other);
    }
  }
  found.delete(key);
  const keys = [...found.keys()].sort();
  const next = keys.find((other) => other > key) ?? keys[0];
  return next === undefined ? undefined : found.get(next);
}

function hasFinalizer({ metadata }: ApiObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}
