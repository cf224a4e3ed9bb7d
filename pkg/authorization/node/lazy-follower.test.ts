import assert from 'node:assert/strict';
import { configMap } from '../../api/core/config-map/config-map.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { createObject } from '../../registry/create-object.ts';
import { hubObject, openRegistry, write, type TestRegistry } from '../../registry/registry-testing.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { LazyFollower } from './lazy-follower.ts';

describe('LazyFollower', () => {
  let registry: TestRegistry;
  let store: ResourceStore;
  let known: Set<string>;
  let follower: LazyFollower<ApiObject>;
  beforeEach(async () => {
    registry = openRegistry([configMap]);
    store = (await registry.replica())('configmaps');
    known = new Set();
    const index = {
      clear: () => known.clear(),
      put: (key: string) => void known.add(key),
      remove: (key: string) => void known.delete(key),
    };
    follower = new LazyFollower(store.cache, index, (error) => assert.fail(String(error)));
  });
  afterEach(() => registry.stop());
  const create = (name: string) => createObject(store, hubObject(configMap, { name }), { ...write('v1'), name });
  const names = (): string[] => [...known].map((key) => key.slice(key.lastIndexOf('/') + 1)).sort();

  it('reads nothing until its first use, and then everything', async () => {
    for (const name of ['a', 'b']) await create(name);
    await store.cacher.fresh();
    assert.deepEqual(names(), []);
    await follower.ready();
    assert.deepEqual(names(), ['a', 'b']);
    assert.equal(follower.ready(), undefined);
  });

  it('follows what is added and removed from then on', async () => {
    await follower.ready();
    for (const name of ['a', 'b']) await create(name);
    await store.backend.commit(store.keyOf('n', 'a'), {
      expectRevision: (await store.newest(store.keyOf('n', 'a')))!.revision,
    });
    await store.cacher.fresh();
    assert.deepEqual(names(), ['b']);
  });

  it('starts again when the cache does', async () => {
    await create('a');
    await store.cacher.fresh();
    await follower.ready();
    known.add('configmaps/n/lost');
    store.cache.reset(store.cache.snapshot(), store.cacher.revision);
    await follower.ready();
    assert.deepEqual(names(), ['a']);
  });

  it('misses nothing that changes while it reads', async () => {
    for (let i = 0; i < 200; i++) await create(`m${i}`);
    await store.cacher.fresh();
    const reading = follower.ready();
    await create('late');
    store.cache.reset(store.cache.snapshot(), store.cacher.revision);
    await Promise.all([reading, follower.ready(), store.cacher.fresh()]);
    await follower.ready();
    assert.equal(known.size, 201);
  });
});
