import type { CachedEvent } from './event-ring.ts';
import type { WatchGroup } from './watch-group.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';
import { WatchIndex } from './watch-index.ts';

/** Groups that get an event, and finished events, between two readings of the clock. */
const STEPS_PER_LOOK = 16;

/** A group, and the number of events that it got or that came before it was added. */
interface Member {
  readonly group: WatchGroup;
  seen: number;
}

/** The groups of one scope. */
interface Scope {
  readonly byKey: Map<string, Member>;
  readonly index: WatchIndex<Member>;
}

/**
 * Brings each event to the groups of its scopes that it may concern, in order. What does not fit into a slice of time
 * continues in later turns: with thousands of groups and long selectors a write is expensive, but delays no other work.
 * A group is brought up to date before a watcher joins it, so that the watcher gets no event twice.
 */
export class FanOut {
  private readonly scopesOf: (event: CachedEvent) => readonly string[];
  private readonly onError: (error: unknown, event: CachedEvent) => void;
  private readonly scopes = new Map<string, Scope>();
  /** Events that some groups have yet to get; the first is being delivered. */
  private pending: CachedEvent[] = [];
  /** How many events came before the first pending one. */
  private done = 0;
  /** The groups that have yet to get the first pending event, as sets of them. */
  private rest: Iterator<Member>[] | undefined;
  /** The last event for which a failure was reported. */
  private reported: CachedEvent | undefined;
  private steps = 0;
  private scheduled = false;
  private waiters: (() => void)[] = [];

  /** `onError` gets the first error that a group has with an event; the group is ended. */
  constructor(
    scopesOf: (event: CachedEvent) => readonly string[],
    onError: (error: unknown, event: CachedEvent) => void = () => undefined,
  ) {
    this.scopesOf = scopesOf;
    this.onError = onError;
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
    return this.scopes.get(scope)?.byKey.get(key)?.group;
  }

  /** Watchers of one scope that get one event, at most. */
  watchersIn(scope: string): number {
    return this.scopes.get(scope)?.index.weightOfOne(({ group }) => group.size) ?? 0;
  }

  /** Adds a group, which gets every event from now on. */
  add(scope: string, key: string, group: WatchGroup): void {
    let inScope = this.scopes.get(scope);
    if (inScope === undefined) this.scopes.set(scope, (inScope = { byKey: new Map(), index: new WatchIndex() }));
    const replaced = inScope.byKey.get(key);
    if (replaced !== undefined) inScope.index.remove(replaced);
    const member = { group, seen: this.done + this.pending.length };
    inScope.byKey.set(key, member);
    inScope.index.add(member, group.selection.exact ?? []);
  }

  /** Removes a group, if it is still the one of that key. */
  remove(scope: string, key: string, group: WatchGroup): void {
    const inScope = this.scopes.get(scope);
    const member = inScope?.byKey.get(key);
    if (inScope === undefined || member?.group !== group) return;
    inScope.byKey.delete(key);
    inScope.index.remove(member);
    if (inScope.byKey.size === 0) this.scopes.delete(scope);
  }

  /** Delivers to the group of that key at once what it has yet to get. */
  catchUp(scope: string, key: string): void {
    const member = this.scopes.get(scope)?.byKey.get(key);
    if (member === undefined) return;
    const from = Math.max(0, member.seen - this.done);
    for (const event of this.pending.slice(from))
      if (this.scopesOf(event).includes(scope)) this.give(member.group, event);
    member.seen = this.done + this.pending.length;
  }

  /** Ends all watchers and discards all groups. */
  reset(): void {
    for (const { byKey } of this.scopes.values()) for (const { group } of byKey.values()) group.endAll();
    this.scopes.clear();
    this.done += this.pending.length;
    this.pending = [];
    this.rest = undefined;
    this.wake();
  }

  private run(): void {
    const slice = new TimeSlice();
    while (this.pending.length > 0) {
      if (this.isTurnOver(slice)) return this.later();
      const event = this.pending[0]!;
      this.rest ??= this.candidates(event);
      for (let member = next(this.rest); member !== undefined; member = next(this.rest)) {
        if (member.seen > this.done) continue;
        member.seen = this.done + 1;
        this.give(member.group, event);
        if (this.isTurnOver(slice)) return this.later();
      }
      event.dropFrames();
      this.rest = undefined;
      this.pending.shift();
      this.done++;
    }
    this.wake();
  }

  /** Counted over all events: many of them with few groups each fill a turn as well. */
  private isTurnOver(slice: TimeSlice): boolean {
    return ++this.steps % STEPS_PER_LOOK === 0 && slice.over;
  }

  /** Empty without watchers of the resource, as for most events: then no scopes are made either. */
  private candidates(event: CachedEvent): Iterator<Member>[] {
    const found: Iterator<Member>[] = [];
    if (this.scopes.size === 0) return found;
    for (const scope of this.scopesOf(event)) {
      const index = this.scopes.get(scope)?.index;
      if (index !== undefined) for (const members of index.candidates(event)) found.push(members[Symbol.iterator]());
    }
    return found;
  }

  private give(group: WatchGroup, event: CachedEvent): void {
    try {
      group.dispatch(event);
    } catch (error) {
      // An object that cannot be read: its watchers list again and get the error. The feed and all other watchers
      // continue.
      group.endAll();
      if (this.reported === event) return;
      this.reported = event;
      this.onError(error, event);
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

/** The next member of several sets; removes the sets that are exhausted. */
function next(sets: Iterator<Member>[]): Member | undefined {
  for (let first = sets[0]; first !== undefined; first = sets[0]) {
    const { done, value } = first.next();
    if (done !== true) return value;
    sets.shift();
  }
  return undefined;
}
