import assert from 'node:assert/strict';
import { configMap } from '../api/core/config-map/config-map.ts';
import { pod } from '../api/core/pod/pod.ts';
import { configMaps, pods, secrets } from '../api/core/tokens.ts';
import type { ConfigMap, Pod } from '../generated/types/core-v1.ts';
import { changeOwn, createOwn } from './own-writes.ts';
import { getObject, listObjects } from './read-objects.ts';
import { openRegistry, type Replica, type TestRegistry } from './registry-testing.ts';
import type { ResourceStore } from './resource-store.ts';
import { storeAccess } from './store-access.ts';

/** What must not compile says so: the type checker fails where it does. */
describe('access to stores by tokens', () => {
  let registry: TestRegistry;
  let replica: Replica;
  const stores = storeAccess((name) => {
    const store = replica(name) as ResourceStore | undefined;
    if (store === undefined) throw new Error(`no store for ${name}`);
    return store;
  });

  before(async () => {
    registry = openRegistry([configMap, pod]);
    replica = await registry.replica();
  });
  after(() => registry.stop());

  it('finds the store of a resource, by its definition as well', () => {
    assert.equal(stores(configMaps), replica('configmaps'));
    assert.equal(stores(configMap), replica('configmaps'));
    assert.throws(() => stores(secrets), /no store for secrets/);
    // @ts-expect-error: names are for programs that learn them at run time.
    assert.throws(() => stores('pods'));
    // @ts-expect-error: it is no store of pods.
    const wrong: ResourceStore<Pod> = stores(configMaps);
    assert.notEqual(wrong, stores(pods));
  });

  it('reads and changes objects of the type of the token', async () => {
    const store = stores(configMaps);
    await createOwn(store, { metadata: { namespace: 'n', name: 'c' }, data: { a: '1' } });
    await changeOwn(store, 'n', 'c', (object) => void (object.data = { a: `${object.data?.['a']}2` }));
    const found: ConfigMap = (await getObject(store, 'n', 'c', { kind: 'consistent' })).object();
    assert.deepEqual(found.data, { a: '12' });
    const { objects } = await listObjects(store, { scope: store.scopeOf(''), limit: 0 }, { kind: 'consistent' });
    assert.deepEqual(
      objects.map((object) => object.object().data),
      [{ a: '12' }],
    );
    // @ts-expect-error: a ConfigMap has no spec.
    assert.equal((await store.newest(store.keyOf('n', 'c')))!.object().spec, undefined);
  });

  it('follows objects of the type of the token', () => {
    const seen: (string | undefined)[] = [];
    const stop = stores(configMaps).cache.listen({
      reset: (objects) => seen.push(...Array.from(objects, (object) => object.object().data?.['a'])),
      changed: () => undefined,
    });
    stop();
    assert.deepEqual(seen, ['12']);
  });
});
