import type { ApiObject } from '../../apimachinery/meta/object.ts';

/** What a write is waited for at most: an informer that lags longer has other problems. */
const WAIT_MS = 300_000;

interface Write<T> {
  readonly object: T;
  readonly atMs: number;
  /** When a deletion was accepted; RFC 3339. */
  readonly deletedAt?: string;
}

/**
 * The states that a controller has written, by owner, where its informer shows older ones: created objects, patched
 * ones, and those whose deletion began. Unlike `PendingWrites` it keeps deleted objects in view, as terminating, for
 * controllers that count them.
 */
export class WrittenObjects<T extends ApiObject> {
  private readonly writes = new Map<string, Map<string, Write<T>>>();
  private readonly seenRevision: () => string;
  private readonly nowMs: () => number;

  /** `seenRevision`: up to where the informer has seen everything. */
  constructor(seenRevision: () => string, nowMs: () => number) {
    this.seenRevision = seenRevision;
    this.nowMs = nowMs;
  }

  /** `object`: as the server answered. */
  put(owner: string, object: T): void {
    this.set(owner, { object, atMs: this.nowMs() });
  }

  putDeleted(owner: string, object: T, deletedAt: string): void {
    const known = this.writes.get(owner)?.get(object.metadata.uid!)?.object;
    this.set(owner, { object: known === undefined ? object : newer(object, known), atMs: this.nowMs(), deletedAt });
  }

  /** The newest known states, from what the informer shows of the owner's objects. */
  view(owner: string, shown: readonly T[]): readonly T[] {
    const writes = this.writes.get(owner);
    if (writes === undefined) return shown;
    const byUid = new Map(shown.map((object) => [object.metadata.uid!, object]));
    for (const [uid, write] of writes) {
      const state = this.stateOf(write, byUid.get(uid));
      if (state === undefined) writes.delete(uid);
      else byUid.set(uid, state);
    }
    if (writes.size === 0) this.writes.delete(owner);
    return [...byUid.values()];
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.writes.delete(owner);
  }

  private set(owner: string, write: Write<T>): void {
    const known = this.writes.get(owner) ?? new Map<string, Write<T>>();
    known.set(write.object.metadata.uid!, write);
    this.writes.set(owner, known);
  }

  /** What a write adds to the informer's state; undefined: nothing any more. */
  private stateOf({ object, atMs, deletedAt }: Write<T>, shown: T | undefined): T | undefined {
    if (this.nowMs() - atMs > WAIT_MS) return undefined;
    if (shown === undefined && isAtLeast(this.seenRevision(), revisionOf(object))) return undefined;
    const state = shown === undefined ? object : newer(shown, object);
    if (deletedAt === undefined) return state === shown ? undefined : state;
    if (shown?.metadata.deletionTimestamp !== undefined && state === shown) return undefined;
    return { ...state, metadata: { ...state.metadata, deletionTimestamp: deletedAt } };
  }
}

/** The first where both are the same. */
function newer<T extends ApiObject>(one: T, other: T): T {
  return isAtLeast(revisionOf(one), revisionOf(other)) ? one : other;
}

function revisionOf({ metadata }: ApiObject): string {
  return metadata.resourceVersion ?? '';
}

/** Revisions are whole numbers without leading zeros. */
function isAtLeast(revision: string, other: string): boolean {
  return revision.length === other.length ? revision >= other : revision.length > other.length;
}
