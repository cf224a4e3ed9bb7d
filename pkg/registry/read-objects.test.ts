import assert from 'node:assert/strict';
import { configMap } from '../api/core/config-map/config-map.ts';
import { StatusError } from '../apimachinery/errors/status-error.ts';
import { CompactedError } from '../storage/store-errors.ts';
import { createObject } from './create-object.ts';
import { continueList, getObject, listObjects, type Freshness } from './read-objects.ts';
import { hubObject, openRegistry, write, type Replica, type TestRegistry } from './registry-testing.ts';
import type { ResourceStore } from './resource-store.ts';

describe('reads', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let other: Replica;
  let maps: ResourceStore;

  beforeEach(async () => {
    registry = openRegistry([configMap]);
    [stores, other] = [await registry.replica(), await registry.replica()];
    maps = stores('configmaps');
  });
  afterEach(() => registry.stop());

  const make = async (name: string, at: Replica = stores, namespace = 'n') =>
    (await createObject(at('configmaps'), hubObject(configMap, { name, namespace }), write('v1', '', { namespace })))
      .revision;
  const list = async (freshness: Freshness, limit = 0, scope = maps.scopeOf('n')) =>
    await listObjects(maps, { scope, limit }, freshness);
  const names = async (freshness: Freshness) => (await list(freshness)).objects.map((o) => o.name);
  /** The other replica: its writes reach this one by the feed alone. */
  const elsewhere = (name: string) => make(name, other);

  it('at consistent freshness miss no acknowledged write of any replica', async () => {
    for (let i = 0; i < 50; i++) {
      const revision = await elsewhere(`m${i}`);
      assert.equal((await getObject(maps, 'n', `m${i}`, { kind: 'consistent' })).revision, revision);
      const chunk = await list({ kind: 'consistent' });
      assert.equal(chunk.objects.length, i + 1);
      assert.ok(chunk.revision >= revision);
    }
  });

  it('of what is absent throw', async () => {
    for (const kind of ['consistent', 'any'] as const) {
      await assert.rejects(
        getObject(maps, 'n', 'none', { kind }),
        (e) => e instanceof StatusError && e.message === 'configmaps "none" not found',
      );
    }
    assert.deepEqual(await names({ kind: 'consistent' }), []);
  });

  it('keep to their namespace', async () => {
    await make('a');
    await make('b', stores, 'n2');
    await make('c', stores, 'nn');
    assert.deepEqual(await names({ kind: 'consistent' }), ['a']);
    assert.equal((await list({ kind: 'consistent' }, 0, maps.scopeOf(''))).objects.length, 3);
    await assert.rejects(getObject(maps, 'n', 'b', { kind: 'consistent' }), /not found/);
  });

  it('wait for a revision that is about to come', async () => {
    const next = (await registry.store.currentRevision()) + 1;
    const waiting = list({ kind: 'at-least', revision: next });
    await elsewhere('late');
    const chunk = await waiting;
    assert.ok(chunk.revision >= next);
    assert.deepEqual(
      chunk.objects.map((o) => o.name),
      ['late'],
    );
  });

  it('give up on a revision that does not come', async () => {
    const store = Object.create(maps, {
      cacher: {
        value: Object.create(maps.cacher, { reached: { value: () => Promise.resolve(false) }, revision: { value: 5 } }),
      },
    }) as ResourceStore;
    for (const kind of ['at-least', 'exact'] as const) {
      await assert.rejects(
        listObjects(store, { scope: maps.scopeOf('n'), limit: 0 }, { kind, revision: 99 }),
        (e) =>
          e instanceof StatusError &&
          e.code === 504 &&
          e.message === 'Timeout: Too large resource version: 99, current: 5' &&
          e.status.details?.retryAfterSeconds === 1,
      );
    }
  });

  it('show an exact revision, as long as the store remembers it', async () => {
    const [first, second] = [await make('a'), await make('b')];
    const exact = async (revision: number) => {
      const chunk = await list({ kind: 'exact', revision });
      return [chunk.revision, chunk.objects.map((o) => o.name)];
    };
    assert.deepEqual(await exact(first), [first, ['a']]);
    assert.deepEqual(await exact(second), [second, ['a', 'b']]);
    await registry.store.compact(second);
    await assert.rejects(exact(first), CompactedError);
  });

  it('continue at the revision where they began', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await make(name);
    const first = await list({ kind: 'consistent' }, 2);
    assert.deepEqual([first.objects.map((o) => o.name), first.remaining], [['a', 'b'], 2]);
    await elsewhere('bb');
    await maps.cacher.fresh();
    const rest = await continueList(
      maps,
      { scope: maps.scopeOf('n'), limit: 0, startKey: first.nextKey! },
      first.revision,
    );
    assert.deepEqual(
      [rest.objects.map((o) => o.name), rest.revision, rest.nextKey],
      [['c', 'd'], first.revision, undefined],
    );
  });

  it('read from the store where the cache may be behind', async () => {
    await elsewhere('a');
    const stale = Object.create(maps, {
      cacher: { value: Object.create(maps.cacher, { fresh: { value: () => Promise.resolve(false) } }) },
    }) as ResourceStore;
    const revision = await elsewhere('b');
    assert.equal((await getObject(stale, 'n', 'b', { kind: 'consistent' })).revision, revision);
    assert.deepEqual(
      (await listObjects(stale, { scope: maps.scopeOf('n'), limit: 0 }, { kind: 'consistent' })).objects.map(
        (o) => o.name,
      ),
      ['a', 'b'],
    );
  });
});
