import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { CachedObject } from './cached-object.ts';
import type { ObjectTree } from './resource-cache.ts';

interface Snapshot {
  readonly resource: string;
  readonly revision: number;
  readonly tree: ObjectTree;
  readonly expiresAtMs: number;
  /** Bytes of objects that the cache has replaced since, and that no later snapshot of the resource holds. */
  bytes: number;
}

export interface SnapshotLimits {
  readonly ttlMs: number;
  readonly countMax: number;
  /** Bytes of objects that only snapshots hold. */
  readonly bytesMax: number;
}

/** Cost of an object and its place in a tree, besides its stored value. */
const OBJECT_BYTES = 512;

/**
 * Clones from which chunked lists continue, by resource and revision. Bounded in age, number, and the bytes that only
 * they hold: a clone costs nothing until the cache replaces objects that are in it. The oldest go first; later chunks
 * then read the store's history instead.
 */
export class Snapshots {
  private readonly byKey = new Map<string, Snapshot>();
  /** The newest snapshot of each resource: the last one to release what is replaced now. */
  private readonly newest = new Map<string, Snapshot>();
  private readonly limits: SnapshotLimits;
  private readonly nowMs: () => number;
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(limits: SnapshotLimits, nowMs: () => number = steadyMs) {
    this.limits = limits;
    this.nowMs = nowMs;
  }

  /** Bytes that only snapshots hold. */
  get keptBytes(): number {
    return this.bytes;
  }

  get size(): number {
    return this.byKey.size;
  }

  keep(resource: string, revision: number, tree: ObjectTree): void {
    this.expire();
    const key = `${resource}@${revision}`;
    const known = this.byKey.get(key);
    const snapshot = {
      resource,
      revision,
      tree,
      expiresAtMs: this.nowMs() + this.limits.ttlMs,
      bytes: known?.bytes ?? 0,
    };
    this.byKey.delete(key);
    this.byKey.set(key, snapshot);
    if ((this.newest.get(resource)?.revision ?? 0) <= revision) this.newest.set(resource, snapshot);
    if (this.byKey.size > this.limits.countMax) this.removeOldest();
    this.arm();
  }

  get(resource: string, revision: number): ObjectTree | undefined {
    const found = this.byKey.get(`${resource}@${revision}`);
    return found !== undefined && found.expiresAtMs > this.nowMs() ? found.tree : undefined;
  }

  /** The cache no longer holds this object; a snapshot may. */
  replaced(resource: string, object: CachedObject): void {
    const holder = this.newest.get(resource);
    if (holder === undefined || holder.revision < object.revision) return;
    const bytes = object.value.length + OBJECT_BYTES;
    holder.bytes += bytes;
    this.bytes += bytes;
    while (this.bytes > this.limits.bytesMax) this.removeOldest();
  }

  /** Drops what is too old; insertion order is age order. */
  expire(): void {
    const now = this.nowMs();
    for (const snapshot of this.byKey.values()) {
      if (snapshot.expiresAtMs > now) break;
      this.remove(snapshot);
    }
  }

  /** Forgets all snapshots of one resource. */
  drop(resource: string): void {
    for (const snapshot of this.byKey.values()) if (snapshot.resource === resource) this.remove(snapshot);
  }

  clear(): void {
    this.byKey.clear();
    this.newest.clear();
    this.bytes = 0;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private removeOldest(): void {
    const oldest = this.byKey.values().next().value;
    if (oldest !== undefined) this.remove(oldest);
  }

  private remove(snapshot: Snapshot): void {
    const { resource, revision, bytes } = snapshot;
    this.byKey.delete(`${resource}@${revision}`);
    this.bytes -= bytes;
    if (this.byKey.size === 0) return this.clear();
    if (this.newest.get(resource) === snapshot) this.handOn(snapshot);
  }

  /**
   * Lists that began at an older revision but were continued later may outlive the newest snapshot, and hold much of
   * its content.
   */
  private handOn({ resource, bytes }: Snapshot): void {
    this.newest.delete(resource);
    for (const other of this.byKey.values()) {
      if (other.resource === resource && other.revision >= (this.newest.get(resource)?.revision ?? 0))
        this.newest.set(resource, other);
    }
    const heir = this.newest.get(resource);
    if (heir === undefined) return;
    heir.bytes += bytes;
    this.bytes += bytes;
  }

  /** One timer, for the oldest: a server that gets no more lists releases them all the same. */
  private arm(): void {
    if (this.timer !== undefined) return;
    const oldest = this.byKey.values().next().value;
    if (oldest === undefined) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.expire();
        this.arm();
      },
      Math.max(1, oldest.expiresAtMs - this.nowMs()),
    );
    this.timer.unref();
  }
}
