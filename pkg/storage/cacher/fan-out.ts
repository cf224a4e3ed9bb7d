import type { CachedEvent } from './event-ring.ts';
import type { WatchGroup } from './watch-group.ts';
import { TimeSlice } from './time-slice.ts';

/** Groups that get an event before the clock is looked at. */
const GROUPS_PER_LOOK = 16;

/**
 * Brings each event to the groups of its scopes, in order. What does not fit into a slice of time goes on in later
 * turns: thousands of groups with long selectors make one write dear, but hold nobody up. A group is brought up to date
 * before a watcher joins it, so that the watcher gets no event twice.
 */
export class FanOut {
  private readonly scopesOf: (event: CachedEvent) => readonly string[];
  private readonly groups = new Map<string, Map<string, WatchGroup>>();
  /** Events that some groups have yet to get; the first is under way. */
  private pending: CachedEvent[] = [];
  /** How many events came before the first pending one. */
  private done = 0;
  /** How many events each group has got, or came before it was there. */
  private readonly seen = new WeakMap<WatchGroup, number>();
  /** What is left of the groups of the first pending event. */
  private rest: Iterator<WatchGroup> | undefined;
  private scheduled = false;
  private waiters: (() => void)[] = [];

  constructor(scopesOf: (event: CachedEvent) => readonly string[]) {
    this.scopesOf = scopesOf;
  }

  /** Events that some groups have yet to get. */
  get backlog(): number {
    return this.pending.length;
  }

  push(event: CachedEvent): void {
    this.pending.push(event);
    if (!this.scheduled) this.run();
  }

  /** Resolves when every event so far is with its groups. */
  settled(): Promise<void> {
    return this.pending.length === 0 ? Promise.resolve() : new Promise((resolve) => void this.waiters.push(resolve));
  }

  find(scope: string, key: string): WatchGroup | undefined {
    return this.groups.get(scope)?.get(key);
  }

  /** Watchers of one scope. */
  watchersIn(scope: string): number {
    let count = 0;
    for (const group of this.groups.get(scope)?.values() ?? []) count += group.size;
    return count;
  }

  /** Adds a group, which gets every event from now on. */
  add(scope: string, key: string, group: WatchGroup): void {
    let inScope = this.groups.get(scope);
    if (inScope === undefined) this.groups.set(scope, (inScope = new Map()));
    inScope.set(key, group);
    this.seen.set(group, this.done + this.pending.length);
  }

  /** Removes a group, if it is still the one of that key. */
  remove(scope: string, key: string, group: WatchGroup): void {
    const inScope = this.groups.get(scope);
    if (inScope?.get(key) !== group) return;
    inScope.delete(key);
    if (inScope.size === 0) this.groups.delete(scope);
  }

  /** Gives a group at once what it has yet to get. */
  catchUp(group: WatchGroup): void {
    const from = Math.max(0, (this.seen.get(group) ?? 0) - this.done);
    for (const event of this.pending.slice(from))
      if (this.scopesOf(event).includes(group.selection.scope)) this.give(group, event);
    this.seen.set(group, this.done + this.pending.length);
  }

  /** Ends all watchers and forgets everything. */
  reset(): void {
    for (const inScope of this.groups.values()) for (const group of inScope.values()) group.endAll();
    this.groups.clear();
    this.done += this.pending.length;
    this.pending = [];
    this.rest = undefined;
    this.wake();
  }

  private run(): void {
    const slice = new TimeSlice();
    let given = 0;
    while (this.pending.length > 0) {
      const event = this.pending[0]!;
      this.rest ??= this.groupsOf(event);
      for (let next = this.rest.next(); next.done !== true; next = this.rest.next()) {
        const group = next.value;
        if ((this.seen.get(group) ?? 0) > this.done) continue;
        this.seen.set(group, this.done + 1);
        this.give(group, event);
        if (++given % GROUPS_PER_LOOK === 0 && slice.over) return this.later();
      }
      event.dropFrames();
      this.rest = undefined;
      this.pending.shift();
      this.done++;
    }
    this.wake();
  }

  private *groupsOf(event: CachedEvent): Generator<WatchGroup> {
    for (const scope of this.scopesOf(event)) yield* this.groups.get(scope)?.values() ?? [];
  }

  private give(group: WatchGroup, event: CachedEvent): void {
    try {
      group.dispatch(event);
    } catch {
      // An object that cannot be read: its watchers list again and are told by that. The feed and all others go on.
      group.endAll();
    }
  }

  private later(): void {
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.run();
    });
  }

  private wake(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const wake of waiters) wake();
  }
}
