import type { ApiObject } from '../../apimachinery/meta/object.ts';

/** What a write is waited for at most: an informer that lags longer has other problems. */
const PENDING_MS = 300_000;

interface Write<T> {
  readonly object: T;
  readonly atMs: number;
}

/**
 * What a controller has created and deleted and its informer does not show yet, by owner. Without it a reconcile that
 * runs before the informer has seen the last one's writes would do them again.
 *
 * A created object counts as there until the informer shows it, or has seen a later revision without showing it (it is
 * gone again). A deleted one counts as gone until the informer shows that it is, or is about to be.
 */
export class PendingWrites<T extends ApiObject> {
  private readonly created = new Map<string, Map<string, Write<T>>>();
  private readonly deleted = new Map<string, Map<string, Write<T>>>();
  private readonly seenRevision: () => string;
  private readonly nowMs: () => number;

  /** `seenRevision`: up to where the informer has seen everything. */
  constructor(seenRevision: () => string, nowMs: () => number) {
    this.seenRevision = seenRevision;
    this.nowMs = nowMs;
  }

  /** `object`: as the server answered. */
  addCreated(owner: string, object: T): void {
    put(this.created, owner, object, this.nowMs());
  }

  addDeleted(owner: string, object: T): void {
    put(this.deleted, owner, object, this.nowMs());
  }

  /** What is there, from what the informer shows of the owner's objects. */
  view(owner: string, shown: readonly T[]): readonly T[] {
    const [created, deleted] = [this.created.get(owner), this.deleted.get(owner)];
    if (created === undefined && deleted === undefined) return shown;
    const byUid = new Map(shown.map((object) => [object.metadata.uid!, object]));
    const added: T[] = [];
    for (const [uid, { object, atMs }] of created ?? []) {
      if (byUid.has(uid) || this.isOver(atMs) || isAtLeast(this.seenRevision(), object.metadata.resourceVersion!))
        remove(this.created, owner, uid);
      else added.push(object);
    }
    const gone = new Set<string>();
    for (const [uid, { atMs }] of deleted ?? []) {
      const current = byUid.get(uid);
      if (current === undefined || current.metadata.deletionTimestamp !== undefined || this.isOver(atMs))
        remove(this.deleted, owner, uid);
      else gone.add(uid);
    }
    return [...(gone.size === 0 ? shown : shown.filter(({ metadata }) => !gone.has(metadata.uid!))), ...added];
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.created.delete(owner);
    this.deleted.delete(owner);
  }

  private isOver(atMs: number): boolean {
    return this.nowMs() - atMs > PENDING_MS;
  }
}

function put<T extends ApiObject>(
  writes: Map<string, Map<string, Write<T>>>,
  owner: string,
  object: T,
  atMs: number,
): void {
  const known = writes.get(owner) ?? new Map<string, Write<T>>();
  known.set(object.metadata.uid!, { object, atMs });
  writes.set(owner, known);
}

function remove(writes: Map<string, Map<string, unknown>>, owner: string, uid: string): void {
  const known = writes.get(owner);
  known?.delete(uid);
  if (known?.size === 0) writes.delete(owner);
}

/** Revisions are whole numbers without leading zeros. */
function isAtLeast(revision: string, other: string): boolean {
  return revision.length === other.length ? revision >= other : revision.length > other.length;
}
