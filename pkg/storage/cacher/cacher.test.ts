import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { ByteBudget } from './byte-budget.ts';
import { Cacher } from './cacher.ts';
import { resource, startCacher, valueOf, type TestCacher } from './cacher-testing.ts';
import { listAt, listCurrent, listStore } from './list-objects.ts';
import { ReadBarrier } from './read-barrier.ts';
import { newTree } from './resource-cache.ts';
import { CompactedError } from '../store-errors.ts';
import type { Store } from '../store.ts';

describe('Cacher', () => {
  let test: TestCacher;
  afterEach(() => test?.stop());

  it('loads every resource without decoding any object', async () => {
    test = await startCacher({}, async (store) => {
      for (let i = 0; i < 2500; i++)
        await (i % 500 === 499
          ? store.commit(`things/n/${i}`, { expectRevision: 0, value: valueOf() })
          : void store.commit(`things/n/${i}`, { expectRevision: 0, value: valueOf() }));
      await store.commit('others/n/x', { expectRevision: 0, value: Buffer.from('not even JSON') });
    });
    assert.equal(test.cacher.cache('things').size, 2500);
    assert.equal(test.cacher.cache('others').get('others/n/x')?.name, 'x');
    assert.equal(test.cacher.budget.used, 0);
  });

  it('is as new as any acknowledged write after a barrier', async () => {
    test = await startCacher();
    for (let i = 0; i < 200; i++) {
      const revision = await test.put('things/a/x');
      assert.equal(await test.cacher.fresh(), true);
      assert.ok(test.cacher.revision >= revision);
      assert.equal(test.cacher.cache('things').get('things/a/x')?.revision, revision);
    }
  });

  it('yields to other work within a long batch, and shows one revision at each yield', async () => {
    test = await startCacher();
    const { store } = test;
    const events = Array.from({ length: 200 }, (_, i) => ({
      type: 'put' as const,
      key: `things/a/x${Math.floor(i / 2)}`,
      revision: 100 + Math.floor(i / 2),
      value: valueOf(),
    }));
    async function* once(): AsyncGenerator<{ revision: number; events: typeof events }> {
      yield { revision: 199, events };
      await new Promise(() => undefined);
    }
    const cacher = new Cacher({
      store: {
        range: (prefix: string, options: object) => store.range(prefix, options),
        watch: () => Object.assign(once(), { close: () => undefined }),
      } as unknown as Store,
      resources: [resource('things')],
      budget: new ByteBudget(1 << 20),
    });
    const cache = cacher.cache('things');
    let newest = 0;
    cache.listen({
      reset: () => undefined,
      changed: (object) => {
        newest = object.revision;
        for (const end = performance.now() + 0.2; performance.now() < end;);
      },
    });
    const seen = new Set<number>();
    await cacher.start();
    while (cacher.revision < 199) {
      await nextTurn();
      assert.ok(newest === 0 || newest === cacher.revision, `${newest} at ${cacher.revision}`);
      seen.add(cacher.revision);
    }
    assert.ok(seen.size > 3, `${seen.size} turns`);
  });

  it('lists chunks of one snapshot while objects change', async () => {
    test = await startCacher();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await test.put(`things/n/${name}`);
    await test.cacher.fresh();
    const cache = test.cacher.cache('things');
    const first = await listCurrent(test.cacher, cache, { scope: 'things/n/', limit: 2 });
    assert.deepEqual(
      first.objects.map((o) => o.name),
      ['a', 'b'],
    );
    assert.equal(first.remaining, 3);
    const revisionOfC = cache.get('things/n/c')!.revision;
    await test.remove('things/n/d');
    await test.put('things/n/c');
    await test.put('things/n/cc');
    await test.cacher.fresh();
    const rest = await listAt(test.cacher, cache, first.revision, {
      scope: 'things/n/',
      limit: 0,
      startKey: first.nextKey!,
    });
    assert.deepEqual(
      rest.objects.map((o) => o.name),
      ['c', 'd', 'e'],
    );
    assert.equal(rest.objects[0]!.revision, revisionOfC);
  });

  it('continues a chunked list from the store when the snapshot is gone, until compaction', async () => {
    test = await startCacher();
    for (const name of ['a', 'b', 'c']) await test.put(`things/n/${name}`);
    await test.cacher.fresh();
    const cache = test.cacher.cache('things');
    const first = await listCurrent(test.cacher, cache, { scope: 'things/', limit: 1 });
    test.cacher.snapshots.clear();
    const last = await test.remove('things/n/c');
    const rest = await listAt(test.cacher, cache, first.revision, {
      scope: 'things/',
      limit: 0,
      startKey: first.nextKey!,
    });
    assert.deepEqual(
      rest.objects.map((o) => o.name),
      ['b', 'c'],
    );
    await test.store.compact(last);
    await assert.rejects(
      listAt(test.cacher, cache, first.revision, { scope: 'things/', limit: 0, startKey: first.nextKey! }),
      CompactedError,
    );
  });

  it('lists the same from the store as from the cache', async () => {
    test = await startCacher();
    for (let i = 0; i < 30; i++)
      await test.put(`things/n/${String(i).padStart(3, '0')}`, valueOf({ odd: String(i % 2) }));
    await test.cacher.fresh();
    const cache = test.cacher.cache('things');
    const query = {
      scope: 'things/n/',
      limit: 7,
      startKey: 'things/n/005',
      matches: (o: { labels(): Record<string, string> | undefined }) => o.labels()?.['odd'] === '1',
    };
    const cached = await listCurrent(test.cacher, cache, query);
    const stored = await listStore(test.cacher, cache, 0, query);
    assert.deepEqual(
      stored.objects.map((o) => o.key),
      cached.objects.map((o) => o.key),
    );
    assert.equal(stored.nextKey !== undefined, cached.nextKey !== undefined);
  });

  it('keeps the memory of lazy forms within its budget', async () => {
    test = await startCacher({ budget: new ByteBudget(20_000) });
    const representation = { key: 'big', cacheable: true, encode: () => new Uint8Array(1000) };
    for (let i = 0; i < 100; i++) await test.put(`things/n/${i}`);
    await test.cacher.fresh();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 100; i++) test.cacher.cache('things').get(`things/n/${i}`)!.bytes(representation);
      assert.ok(test.cacher.budget.used <= 21_000, String(test.cacher.budget.used));
    }
  });

  it('keeps little of objects that were replaced, deleted or read past the cache', async () => {
    test = await startCacher({ budget: new ByteBudget(320_000) });
    const cache = test.cacher.cache('things');
    const representation = { key: 'big', cacheable: true, encode: () => new Uint8Array(1000) };
    for (let i = 0; i < 200; i++) await test.put(`things/n/${i}`);
    await test.cacher.fresh();
    const before = Array.from({ length: 200 }, (_, i) => cache.get(`things/n/${i}`)!);
    for (const object of before) object.bytes(representation);
    for (let i = 0; i < 100; i++) await test.put(`things/n/${i}`, valueOf({ v: '2' }));
    for (let i = 100; i < 200; i++) await test.remove(`things/n/${i}`);
    await test.cacher.fresh();
    assert.equal(test.cacher.budget.used, 0);
    const past = await listStore(test.cacher, cache, before[199]!.revision, { scope: 'things/n/', limit: 0 });
    for (const object of [...before, ...past.objects]) assert.equal(object.bytes(representation).length, 1000);
    assert.equal(test.cacher.budget.used, 0);
    assert.ok(test.cacher.budget.passing.used <= 6000, String(test.cacher.budget.passing.used));
  });

  it('takes over the object of a write of this process, in either order of event and answer', async () => {
    test = await startCacher();
    const cache = test.cacher.cache('things');
    const object = { metadata: { name: 'x' } };
    const pending = cache.addPendingWrite('things/n/x', valueOf(), object);
    const result = await test.store.commit('things/n/x', { expectRevision: 0, value: valueOf() });
    assert.ok(result.ok);
    const stored = cache.completePendingWrite('things/n/x', pending, result.revision);
    assert.equal(stored?.object(), object);
    assert.equal(cache.newest('things/n/x'), stored);
    await test.cacher.fresh();
    assert.equal(cache.get('things/n/x'), stored);
    assert.equal((object.metadata as { resourceVersion?: string }).resourceVersion, String(result.revision));
  });

  it('keeps apart the objects of several writes of one key', async () => {
    test = await startCacher();
    const cache = test.cacher.cache('things');
    const objectOf = (by: string): ApiObject => ({
      kind: 'Thing',
      apiVersion: 'v1',
      metadata: { name: 'x', labels: { by } },
    });
    const [won, lost] = [objectOf('won'), objectOf('lost')];
    const first = cache.addPendingWrite('things/n/x', valueOf({ by: 'won' }), won);
    const second = cache.addPendingWrite('things/n/x', valueOf({ by: 'lost' }), lost);
    const result = await test.store.commit('things/n/x', { expectRevision: 0, value: valueOf({ by: 'won' }) });
    assert.ok(result.ok);
    assert.notEqual(cache.completePendingWrite('things/n/x', first, result.revision)?.object(), lost);
    cache.dropPendingWrite('things/n/x', second);
    await test.cacher.fresh();
    assert.deepEqual(cache.get('things/n/x')?.object().metadata.labels, { by: 'won' });
  });

  it('hides what this process removed before the event comes, unless the key exists again', async () => {
    test = await startCacher(
      {},
      async (store) => void (await store.commit('things/n/x', { expectRevision: 0, value: valueOf() })),
    );
    const cache = test.cacher.cache('things');
    const known = cache.newest('things/n/x')!;
    cache.removed('things/n/x', known.revision + 1);
    assert.equal(cache.newest('things/n/x'), undefined);
    assert.equal(cache.get('things/n/x'), known, 'lists show the state of the feed');
    const put = (revision: number, labels?: Record<string, string>): void =>
      cache.apply({ type: 'put', key: 'things/n/x', value: valueOf(labels), revision });
    put(known.revision + 2, { again: 'yes' });
    assert.deepEqual(cache.newest('things/n/x')?.labels(), { again: 'yes' });
    cache.removed('things/n/x', known.revision + 3);
    cache.reset(newTree(), known.revision + 3);
    put(known.revision + 2);
    assert.equal(cache.newest('things/n/x')?.revision, known.revision + 2, 'a load forgets removals that it has seen');
  });

  it('does not take the object of a pending write for a different write', async () => {
    test = await startCacher();
    const cache = test.cacher.cache('things');
    cache.addPendingWrite('things/n/x', valueOf({ mine: 'yes' }), { metadata: {} });
    await test.put('things/n/x', valueOf({ mine: 'no' }));
    await test.cacher.fresh();
    assert.deepEqual(cache.get('things/n/x')?.labels(), { mine: 'no' });
  });
});

describe('ReadBarrier', () => {
  it('shares one call among all requests that came before it started, and none that came after', async () => {
    const answers: ((revision: number) => void)[] = [];
    const barrier = new ReadBarrier(() => new Promise((resolve) => answers.push(resolve)));
    const first = barrier.revision();
    const late = [barrier.revision(), barrier.revision()];
    assert.equal(answers.length, 1);
    answers[0]!(5);
    assert.equal(await first, 5);
    await new Promise(setImmediate);
    assert.equal(answers.length, 2);
    answers[1]!(9);
    assert.deepEqual(await Promise.all(late), [9, 9]);
  });

  it('goes on after a failed call', async () => {
    let calls = 0;
    const barrier = new ReadBarrier(() => (calls++ === 0 ? Promise.reject(new Error('down')) : Promise.resolve(7)));
    const first = barrier.revision();
    const second = barrier.revision();
    await assert.rejects(first, /down/);
    assert.equal(await second, 7);
  });
});
