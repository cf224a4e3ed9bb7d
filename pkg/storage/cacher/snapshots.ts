import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { ObjectTree } from './resource-cache.ts';

interface Snapshot {
  tree: ObjectTree;
  expiresAtMs: number;
}

/**
 * Clones that chunked lists continue from, by resource and revision. Bounded in age and number; what is gone is read from the store's
 * history instead.
 */
export class Snapshots {
  private readonly byKey = new Map<string, Snapshot>();
  private readonly ttlMs: number;
  private readonly countMax: number;
  private readonly nowMs: () => number;

  constructor(ttlMs: number, countMax: number, nowMs: () => number = steadyMs) {
    this.ttlMs = ttlMs;
    this.countMax = countMax;
    this.nowMs = nowMs;
  }

  keep(resource: string, revision: number, tree: ObjectTree): void {
    this.expire();
    const key = `${resource}@${revision}`;
    this.byKey.delete(key);
    this.byKey.set(key, { tree, expiresAtMs: this.nowMs() + this.ttlMs });
    if (this.byKey.size > this.countMax) this.byKey.delete(this.byKey.keys().next().value!);
  }

  get(resource: string, revision: number): ObjectTree | undefined {
    const found = this.byKey.get(`${resource}@${revision}`);
    return found !== undefined && found.expiresAtMs > this.nowMs() ? found.tree : undefined;
  }

  /** Drops what is too old; insertion order is age order. */
  expire(): void {
    const now = this.nowMs();
    for (const [key, snapshot] of this.byKey) {
      if (snapshot.expiresAtMs > now) break;
      this.byKey.delete(key);
    }
  }

  clear(): void {
    this.byKey.clear();
  }
}
