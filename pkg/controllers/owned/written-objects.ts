import type { Clock } from '../../apimachinery/clock.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { isAtLeast } from '../../apimachinery/meta/resource-version.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { FollowedObjects } from '../controller-context.ts';

/** What a write is waited for at most: an informer that lags longer has other problems. */
const WAIT_MS = 300_000;

interface Write<T> {
  readonly object: T;
  readonly atMs: number;
  /** When a deletion was accepted; RFC 3339. */
  readonly deletedAt?: string;
}

/**
 * The states that a controller has written, by owner, where its informer shows older ones: created objects, changed
 * ones, and those whose deletion began. Without it a reconcile that runs before the informer has seen the last one's
 * writes would do them again.
 *
 * A created object is there until the informer shows it, or has seen a later revision without showing it (it is gone
 * again). A deleted one is shown as being deleted until the informer says so, or that it is gone.
 */
export class WrittenObjects<T extends ApiObject> {
  private readonly writes = new Map<string, Map<string, Write<T>>>();
  private readonly objects: Pick<FollowedObjects<T>, 'lastSyncResourceVersion'>;
  private readonly clock: Clock;

  constructor(objects: Pick<FollowedObjects<T>, 'lastSyncResourceVersion'>, clock: Clock) {
    this.objects = objects;
    this.clock = clock;
  }

  /** `object`: as the server answered. */
  put(owner: string, object: T): void {
    this.set(owner, { object, atMs: this.clock.steadyMs() });
  }

  putDeleted(owner: string, object: T): void {
    const known = this.writes.get(owner)?.get(object.metadata.uid!)?.object;
    this.set(owner, {
      object: known === undefined ? object : newer(object, known),
      atMs: this.clock.steadyMs(),
      deletedAt: formatTime(new Date(this.clock.wallMs())),
    });
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
    if (this.clock.steadyMs() - atMs > WAIT_MS) return undefined;
    if (shown === undefined && isAtLeast(this.objects.lastSyncResourceVersion, revisionOf(object))) return undefined;
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
