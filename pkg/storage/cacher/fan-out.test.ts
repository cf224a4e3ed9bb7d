import assert from 'node:assert/strict';
import { CachedEvent } from './event-ring.ts';
import { FanOut } from './fan-out.ts';
import type { WatchGroup } from './watch-group.ts';

/** A group that takes some time for each event. */
class SlowGroup {
  readonly selection: { readonly scope: string };
  readonly got: number[] = [];
  private readonly tookMs: number;

  constructor(scope: string, tookMs = 0) {
    this.selection = { scope };
    this.tookMs = tookMs;
  }

  dispatch({ revision }: CachedEvent): void {
    this.got.push(revision);
    for (const end = performance.now() + this.tookMs; performance.now() < end;);
  }

  endAll(): void {
    this.got.push(-1);
  }

  get asGroup(): WatchGroup {
    return this as unknown as WatchGroup;
  }
}

const event = (revision: number, key = 'things/a'): CachedEvent =>
  new CachedEvent(revision, { key } as never, undefined, false);

describe('FanOut', () => {
  let fanOut: FanOut;
  let added: number;
  const add = (tookMs = 0, scope = 'things/'): SlowGroup => {
    const group = new SlowGroup(scope, tookMs);
    fanOut.add(scope, String(added++), group.asGroup);
    return group;
  };

  beforeEach(() => {
    added = 0;
    fanOut = new FanOut(({ object }) => ['things/', object.key]);
  });

  it('gives few groups their event at once, each what is in its scope', () => {
    const [all, one, other] = [add(), add(0, 'things/a'), add(0, 'things/b')];
    fanOut.push(event(1));
    assert.equal(fanOut.backlog, 0);
    assert.deepEqual([all.got, one.got, other.got], [[1], [1], []]);
  });

  it('lets others have their turn between many groups, and gives each every event in order', async () => {
    const groups = Array.from({ length: 200 }, () => add(0.2));
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    for (let revision = 1; revision <= 3; revision++) fanOut.push(event(revision));
    assert.ok(fanOut.backlog > 0);
    await fanOut.settled();
    clearInterval(counting);
    assert.equal(fanOut.backlog, 0);
    assert.ok(turns >= 3, `${turns} turns`);
    for (const { got } of groups) assert.deepEqual(got, [1, 2, 3]);
  });

  it('brings a group up to date before a watcher joins it, and repeats nothing', async () => {
    const groups = Array.from({ length: 200 }, () => add(0.2));
    for (let revision = 1; revision <= 3; revision++) fanOut.push(event(revision));
    const last = groups.at(-1)!;
    assert.deepEqual(last.got, []);
    fanOut.catchUp(last.asGroup);
    assert.deepEqual(last.got, [1, 2, 3]);
    fanOut.push(event(4));
    await fanOut.settled();
    for (const { got } of groups) assert.deepEqual(got, [1, 2, 3, 4]);
  });

  it('gives a group nothing from before it came', async () => {
    const groups = Array.from({ length: 200 }, () => add(0.2));
    fanOut.push(event(1));
    const late = add();
    fanOut.push(event(2));
    await fanOut.settled();
    assert.deepEqual(late.got, [2]);
    assert.deepEqual(groups.at(-1)!.got, [1, 2]);
  });

  it('ends everything on a reset, and removes no group that took the place of another', async () => {
    const groups = Array.from({ length: 200 }, () => add(0.2));
    fanOut.push(event(1));
    const waiting = fanOut.settled();
    fanOut.reset();
    await waiting;
    assert.ok(groups.every(({ got }) => got.at(-1) === -1));
    added = 0;
    const next = add();
    fanOut.remove('things/', '0', groups[0]!.asGroup);
    fanOut.push(event(2));
    await fanOut.settled();
    assert.deepEqual(next.got, [2]);
    fanOut.remove('things/', '0', next.asGroup);
    fanOut.push(event(3));
    await fanOut.settled();
    assert.deepEqual(next.got, [2]);
  });
});
