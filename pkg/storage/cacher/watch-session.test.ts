import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineFormat, resource, startCacher, TestSink, valueOf, type TestCacher } from './cacher-testing.ts';
import type { WatchSelection } from './watch-group.ts';
import { WatchExpiredError, WatchSession, type WatchStart } from './watch-session.ts';

describe('WatchSession', () => {
  let test: TestCacher;
  const sessions: WatchSession[] = [];

  afterEach(async () => {
    for (const session of sessions.splice(0)) session.stop();
    await test.stop();
  });

  function watch(
    start: WatchStart,
    selection: Partial<WatchSelection> = {},
    format = lineFormat(),
  ): { sink: TestSink; session: WatchSession; done: Promise<void> } {
    const sink = new TestSink();
    const session = new WatchSession(test.cacher, test.cacher.cache('things'), {
      selection: { scope: 'things/', selectorKey: '', ...selection },
      format,
      start,
      sink,
    });
    sessions.push(session);
    return { sink, session, done: session.run() };
  }

  it('starts with what exists, marks its end, and goes on with changes', async () => {
    test = await startCacher();
    const first = await test.put('things/a/x');
    await test.cacher.reached(first);
    const { sink, done } = watch({ kind: 'initial', endBookmark: true });
    await done;
    const second = await test.put('things/a/x');
    const third = await test.remove('things/a/x');
    assert.deepEqual(await sink.untilLines(4), [
      `ADDED things/a/x@${first}`,
      `BOOKMARK end ${first}`,
      `MODIFIED things/a/x@${second}`,
      `DELETED things/a/x@${third}`,
    ]);
  });

  it('starts behind a revision that the ring still has', async () => {
    test = await startCacher();
    const first = await test.put('things/a/x');
    const second = await test.put('things/a/y');
    await test.cacher.reached(second);
    const { sink } = watch({ kind: 'after', revision: first });
    assert.deepEqual(await sink.untilLines(1), [`ADDED things/a/y@${second}`]);
  });

  it('reads from the store what has left the ring, and then goes on live', async () => {
    test = await startCacher({ resources: [resource('things', 2)] });
    const revisions: number[] = [];
    // A ring of 2 grows to 20 while changes come fast.
    for (let i = 100; i < 150; i++) revisions.push(await test.put(`things/a/${i}`));
    await test.cacher.reached(revisions.at(-1)!);
    const { sink, done } = watch({ kind: 'after', revision: revisions[0]! });
    await done;
    const last = await test.put('things/b/last');
    const lines = await sink.untilLines(50);
    assert.deepEqual(lines, [
      ...revisions.slice(1).map((r, i) => `ADDED things/a/${i + 101}@${r}`),
      `ADDED things/b/last@${last}`,
    ]);
  });

  it('waits for a revision that the feed has not reached, and shows nothing up to it', async () => {
    test = await startCacher();
    const first = await test.put('things/a/x');
    await test.cacher.reached(first);
    const { sink } = watch({ kind: 'after', revision: first + 2 });
    await test.put('things/a/x');
    assert.equal(await test.put('things/a/y'), first + 2);
    const last = await test.put('things/a/z');
    assert.deepEqual(await sink.untilLines(1), [`ADDED things/a/z@${last}`]);
  });

  it('fails when the revision never comes', async () => {
    test = await startCacher({ freshnessTimeoutMs: 50 });
    const { done } = watch({ kind: 'after', revision: 1_000_000 });
    await assert.rejects(done, (error) => error instanceof WatchExpiredError && error.revision === 1_000_000);
  });

  it('fails with the oldest revision when history was compacted', async () => {
    test = await startCacher({ resources: [resource('things', 1)] });
    const first = await test.put('things/a/x');
    for (let i = 0; i < 20; i++) await test.put('things/a/x');
    const last = await test.put('things/a/x');
    await test.store.compact(last);
    await test.cacher.reached(last);
    const { done } = watch({ kind: 'after', revision: first });
    await assert.rejects(done, (error) => error instanceof WatchExpiredError && error.revision === first);
  });

  it('shows objects that enter or leave a selection as added and deleted', async () => {
    test = await startCacher();
    const selection = {
      selectorKey: 'color=red',
      matches: (o: { labels(): Record<string, string> | undefined }) => o.labels()?.['color'] === 'red',
    };
    const { sink, done } = watch({ kind: 'initial', endBookmark: false }, selection);
    await done;
    await test.put('things/a/x', valueOf({ color: 'blue' }));
    const entered = await test.put('things/a/x', valueOf({ color: 'red' }));
    const left = await test.put('things/a/x', valueOf({ color: 'blue' }));
    await test.remove('things/a/x');
    const again = await test.put('things/a/y', valueOf({ color: 'red' }));
    assert.deepEqual(await sink.untilLines(3), [
      `ADDED things/a/x@${entered}`,
      `DELETED things/a/x@${left}`,
      `ADDED things/a/y@${again}`,
    ]);
  });

  it('keeps to its namespace, or to its one object', async () => {
    test = await startCacher();
    const space = watch({ kind: 'initial', endBookmark: false }, { scope: 'things/a/' });
    const single = watch({ kind: 'initial', endBookmark: false }, { scope: 'things/a/x' });
    await Promise.all([space.done, single.done]);
    const x = await test.put('things/a/x');
    const longer = await test.put('things/a/xx');
    await test.put('things/b/x');
    const end = await test.put('things/a/x');
    assert.deepEqual(await space.sink.untilLines(3), [
      `ADDED things/a/x@${x}`,
      `ADDED things/a/xx@${longer}`,
      `MODIFIED things/a/x@${end}`,
    ]);
    assert.deepEqual(await single.sink.untilLines(2), [`ADDED things/a/x@${x}`, `MODIFIED things/a/x@${end}`]);
  });

  it('encodes an event once for all watchers of a format, and writes all events of a turn at once', async () => {
    test = await startCacher();
    const format = lineFormat();
    const watchers = Array.from({ length: 20 }, () => watch({ kind: 'initial', endBookmark: false }, {}, format));
    await Promise.all(watchers.map((w) => w.done));
    await Promise.all(Array.from({ length: 10 }, (_, i) => test.put(`things/a/${i}`)));
    for (const { sink } of watchers) await sink.untilLines(10);
    assert.equal(format.encoded, 10);
    for (const { sink } of watchers) assert.ok(sink.writes <= 10);
  });

  it('ends a watcher that is too slow, and no other', async () => {
    test = await startCacher({ watcherBufferBytesMax: 1000 });
    const slow = watch({ kind: 'initial', endBookmark: false });
    const fast = watch({ kind: 'initial', endBookmark: false });
    await Promise.all([slow.done, fast.done]);
    slow.sink.buffered = 5000;
    await test.put('things/a/x');
    await fast.sink.untilLines(1);
    assert.equal(slow.sink.closed, true);
    assert.equal(slow.sink.text, '');
    await test.put('things/a/y');
    await fast.sink.untilLines(2);
  });

  it('sends a bookmark only for events that have been written', async () => {
    test = await startCacher();
    const { sink, session, done } = watch({ kind: 'initial', endBookmark: false });
    await done;
    let unsettled = 0;
    for (let i = 0; i < 50; i++) {
      const revision = await test.put('things/a/x');
      await test.cacher.reached(revision);
      const bookmark = session.settledRevision;
      if (bookmark === undefined) unsettled++;
      else assert.ok(bookmark < revision || sink.text.includes(`@${revision}\n`), `${bookmark} without ${revision}`);
    }
    await sink.untilLines(50);
    assert.equal(session.settledRevision, test.cacher.revision);
    assert.ok(unsettled > 0);
  });

  it('gathers events for a group too large to write to in one turn, and delivers all of them', async () => {
    test = await startCacher();
    const format = lineFormat();
    const watchers = Array.from({ length: 600 }, () => watch({ kind: 'initial', endBookmark: false }, {}, format));
    await Promise.all(watchers.map((w) => w.done));
    const revisions: number[] = [];
    for (let i = 0; i < 40; i++) revisions.push(await test.put('things/a/x'));
    for (const { sink } of watchers)
      assert.deepEqual(
        (await sink.untilLines(40)).map((line) => Number(line.split('@')[1])),
        revisions,
      );
  });

  it('misses and repeats nothing, whenever it starts', async () => {
    test = await startCacher({ resources: [resource('things', 8)] });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 29 }),
        async (keys, startAt) => {
          const expected: string[] = [];
          const from = await test.store.currentRevision();
          let watcher: ReturnType<typeof watch> | undefined;
          for (const [i, key] of keys.entries()) {
            if (i === Math.min(startAt, keys.length - 1)) watcher = watch({ kind: 'after', revision: from });
            const exists = (await test.store.get(`things/p/${key}`)) !== undefined;
            const revision =
              exists && i % 3 === 2 ? await test.remove(`things/p/${key}`) : await test.put(`things/p/${key}`);
            expected.push(`${exists ? (i % 3 === 2 ? 'DELETED' : 'MODIFIED') : 'ADDED'} things/p/${key}@${revision}`);
          }
          assert.deepEqual(await watcher!.sink.untilLines(expected.length), expected);
          watcher!.session.stop();
        },
      ),
      { numRuns: 30 },
    );
  });
});
