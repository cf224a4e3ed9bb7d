import assert from 'node:assert/strict';
import { startCacher, lineFormat, TestSink, valueOf, type TestCacher } from './cacher-testing.ts';
import { CacheStats, eventSizeBounds } from './cache-stats.ts';
import { listAt, listCurrent, listStore } from './list-objects.ts';
import { WatchSession } from './watch-session.ts';

describe('CacheStats', () => {
  let test: TestCacher | undefined;
  afterEach(async () => {
    await test?.stop();
    test = undefined;
  });

  it('sorts deliveries by size', () => {
    const stats = new CacheStats();
    stats.delivered(10, 3);
    stats.delivered(1024, 1);
    stats.delivered(1025, 2);
    stats.delivered(10_000_000, 1);
    assert.deepEqual(stats.deliveriesBySize, [4, 2, 0, 0, 0, 0, 0, 0, 1]);
    assert.deepEqual([stats.deliveries, stats.deliveredBytes], [7, 30 + 1024 + 2050 + 10_000_000]);
    assert.equal(eventSizeBounds.at(-1), 131_072);
  });

  it('counts lists from memory and from the store, and what they touch', async () => {
    test = await startCacher();
    const { cacher, put } = test;
    for (let i = 0; i < 10; i++) await put(`things/a/${i}`, valueOf({ even: String(i % 2 === 0) }));
    await cacher.fresh();
    const cache = cacher.cache('things');
    const matches = (o: { name: string }): boolean => Number(o.name) % 2 === 0;
    const first = await listCurrent(cacher, cache, { scope: 'things/', limit: 4 });
    await listAt(cacher, cache, first.revision, { scope: 'things/', limit: 0, startKey: first.nextKey });
    await listCurrent(cacher, cache, { scope: 'things/', limit: 0, matches });
    assert.deepEqual(cache.stats.cacheLists, { lists: 3, fetched: 20, evaluated: 10, returned: 15 });
    await listStore(cacher, cache, 0, { scope: 'things/', limit: 0, matches });
    await listStore(cacher, cache, 0, { scope: 'things/', limit: 3 });
    assert.deepEqual(cache.stats.storeLists, { lists: 2, fetched: 13, evaluated: 10, returned: 8 });
  });

  it('counts loads, changes and events sent to watchers', async () => {
    test = await startCacher({}, async (store) => {
      await store.commit('things/a/x', { expectRevision: 0, value: valueOf() });
    });
    const cache = test.cacher.cache('things');
    const sinks = [new TestSink(), new TestSink()];
    const sessions = sinks.map(
      (sink) =>
        new WatchSession(test!.cacher, cache, {
          selection: { scope: 'things/', selectorKey: '' },
          format: lineFormat(),
          start: { kind: 'initial', endBookmark: true },
          sink,
        }),
    );
    await Promise.all(sessions.map((s) => s.run()));
    assert.deepEqual([cache.stats.loads, cache.stats.initialEvents, cache.stats.deliveries], [1, 2, 2]);
    await test.put('things/a/y');
    await Promise.all(sinks.map((s) => s.untilLines(3)));
    for (const session of sessions) session.stop();
    const { events, initialEvents, deliveries, deliveredBytes } = cache.stats;
    assert.deepEqual([events, initialEvents, deliveries], [1, 2, 4]);
    assert.ok(deliveredBytes > 0);
  });
});
