import { systemClock, type Clock } from '../../apimachinery/clock.ts';
import { TransientMap } from '../../apimachinery/collections/transient-map.ts';

interface Expected {
  creates: number;
  deletes: number;
  /** Names or uids of the objects whose deletion is expected, where they are known. */
  readonly deleted: Set<string>;
  readonly sinceMs: number;
}

/** After this long a controller goes by what its informer shows, whatever it waited for. */
const EXPIRES_MS = 5 * 60_000;

/**
 * What a controller has created and deleted for an owner, and its informer has not shown yet. While something is
 * expected the controller changes nothing for that owner: it would count too few objects and create more.
 *
 * Expectations are set before the calls; a call that fails is taken back with `createObserved` or `deleteObserved`,
 * since no event will come.
 */
export class Expectations {
  private readonly byOwner = new TransientMap<Expected>();
  private readonly clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  /** Replaces what was expected for the owner. */
  expectCreates(owner: string, count: number): void {
    this.byOwner.set(owner, { creates: count, deletes: 0, deleted: new Set(), sinceMs: this.clock.steadyMs() });
  }

  /** Replaces what was expected for the owner; `objects` are keys by which `deleteObserved` names them. */
  expectDeletes(owner: string, objects: readonly string[]): void {
    const deleted = new Set(objects);
    const sinceMs = this.clock.steadyMs();
    this.byOwner.set(owner, { creates: 0, deletes: deleted.size, deleted, sinceMs });
  }

  /** An object of the owner has appeared, or will not. */
  createObserved(owner: string): void {
    const expected = this.byOwner.get(owner);
    if (expected !== undefined && expected.creates > 0) expected.creates--;
  }

  /** The object has gone or is marked, or will not be deleted; only the first time counts. */
  deleteObserved(owner: string, object: string): void {
    const expected = this.byOwner.get(owner);
    if (expected?.deleted.delete(object) === true) expected.deletes--;
  }

  /** Nothing is expected any more, or it has been for so long that its events are lost. */
  satisfied(owner: string): boolean {
    const expected = this.byOwner.get(owner);
    if (expected === undefined) return true;
    if (expected.creates <= 0 && expected.deletes <= 0) return true;
    return this.clock.steadyMs() - expected.sinceMs > EXPIRES_MS;
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.byOwner.delete(owner);
  }
}
