import assert from 'node:assert/strict';
import { CachedEvent } from './event-ring.ts';
import { FanOut } from './fan-out.ts';
import type { WatchGroup } from './watch-group.ts';
import type { ExactRequirement } from './watch-index.ts';

/** A group that takes some time for each event. */
class SlowGroup {
  readonly selection: { readonly scope: string; readonly exact?: readonly ExactRequirement[] };
  readonly got: number[] = [];
  size = 1;
  private readonly tookMs: number;

  constructor(scope: string, tookMs = 0, exact?: readonly ExactRequirement[]) {
    this.selection = { scope, ...(exact === undefined ? {} : { exact }) };
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

  it('gives few groups their event at once, each only within its scope', () => {
    const [all, one, other] = [add(), add(0, 'things/a'), add(0, 'things/b')];
    fanOut.push(event(1));
    assert.equal(fanOut.backlog, 0);
    assert.deepEqual([all.got, one.got, other.got], [[1], [1], []]);
  });

  it('makes no scopes for an event of a resource without watchers', () => {
    let asked = 0;
    fanOut = new FanOut(() => {
      asked++;
      return ['things/'];
    });
    fanOut.push(event(1));
    const group = add();
    fanOut.push(event(2));
    fanOut.remove('things/', '0', group.asGroup);
    fanOut.push(event(3));
    assert.equal(asked, 1);
    assert.deepEqual(group.got, [2]);
    assert.equal(fanOut.backlog, 0);
  });

  it('yields between many groups, and gives each every event in order', async () => {
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
    fanOut.catchUp('things/', '199');
    assert.deepEqual(last.got, [1, 2, 3]);
    fanOut.push(event(4));
    await fanOut.settled();
    for (const { got } of groups) assert.deepEqual(got, [1, 2, 3, 4]);
  });

  describe('with groups that demand one value', () => {
    const nodes = 5000;
    const onNode = (node: number): never =>
      ({ key: 'things/a', field: () => `node-${node}`, labels: () => undefined }) as never;
    const moved = (revision: number, from: number, to: number): CachedEvent =>
      new CachedEvent(revision, onNode(to), onNode(from), false);
    const addByNode = (node: number): SlowGroup => {
      const group = new SlowGroup('things/', 0, [{ of: 'field', name: 'spec.nodeName', value: `node-${node}` }]);
      fanOut.add('things/', String(added++), group.asGroup);
      return group;
    };
    const visits = (groups: readonly SlowGroup[]): number => groups.reduce((sum, { got }) => sum + got.length, 0);

    it('visits the groups of the old and the new value, and those that demand none', async () => {
      const groups = Array.from({ length: nodes }, (_, node) => addByNode(node));
      const all = add();
      for (let revision = 1; revision <= 100; revision++) fanOut.push(moved(revision, revision, revision + 1));
      await fanOut.settled();
      assert.equal(all.got.length, 100);
      assert.equal(visits(groups), 200);
      assert.deepEqual(
        [0, 1, 2, 3].map((node) => groups[node]!.got),
        [[], [1], [1, 2], [2, 3]],
      );
    });

    it('counts at most the watchers that one object has', () => {
      for (let node = 0; node < 10; node++) addByNode(node).size = node;
      add().size = 3;
      assert.equal(fanOut.watchersIn('things/'), 12);
    });

    it('brings a group that no event visited up to date', async () => {
      const slow = Array.from({ length: 200 }, () => add(0.2));
      const quiet = addByNode(7);
      for (let revision = 1; revision <= 3; revision++) fanOut.push(moved(revision, 7, 7));
      fanOut.catchUp('things/', '200');
      assert.deepEqual(quiet.got, [1, 2, 3]);
      await fanOut.settled();
      fanOut.push(moved(4, 1, 1));
      fanOut.push(moved(5, 7, 1));
      await fanOut.settled();
      assert.deepEqual(quiet.got, [1, 2, 3, 5]);
      assert.deepEqual(slow[0]!.got, [1, 2, 3, 4, 5]);
    });
  });

  it('reports what fails, once for an event, and goes on', () => {
    const errors: [string, number][] = [];
    fanOut = new FanOut(
      () => ['things/'],
      (error, { revision }) => errors.push([(error as Error).message, revision]),
    );
    const broken = [add(), add()];
    for (const group of broken)
      group.dispatch = ({ revision }) => {
        if (revision === 2) throw new Error('no object');
      };
    const healthy = add();
    for (let revision = 1; revision <= 3; revision++) fanOut.push(event(revision));
    assert.deepEqual(errors, [['no object', 2]]);
    assert.deepEqual(
      broken.map(({ got }) => got),
      [[-1], [-1]],
    );
    assert.deepEqual(healthy.got, [1, 2, 3]);
  });

  it('yields between many events of one group', async () => {
    const group = add(0.2);
    for (let revision = 1; revision <= 200; revision++) fanOut.push(event(revision));
    assert.ok(fanOut.backlog > 0);
    await fanOut.settled();
    assert.equal(group.got.length, 200);
  });

  it('gives a group nothing from before it was added', async () => {
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
