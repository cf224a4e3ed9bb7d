import assert from 'node:assert/strict';
import { configMap } from '../api/core/config-map/config-map.ts';
import { namespace } from '../api/core/namespace/namespace.ts';
import { createObject } from './create-object.ts';
import { hubObject, openRegistry, write, type Replica, type TestRegistry } from './registry-testing.ts';
import { watchScope, watchStart, type WatchOrigin } from './watch-objects.ts';

describe('watches of a resource', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let other: Replica;
  before(async () => {
    registry = openRegistry([configMap, namespace]);
    [stores, other] = [await registry.replica(), await registry.replica()];
  });
  after(() => registry.stop());

  const start = (origin: Partial<WatchOrigin>) =>
    watchStart(stores('configmaps'), {
      revision: undefined,
      sendInitialEvents: undefined,
      allowBookmarks: true,
      ...origin,
    });

  it('select one object, a namespace or everything', () => {
    const maps = stores('configmaps');
    assert.equal(watchScope(maps, 'n', 'm'), maps.keyOf('n', 'm'));
    assert.equal(watchScope(maps, 'n', undefined), maps.scopeOf('n'));
    assert.equal(watchScope(maps, '', 'm'), maps.scopeOf(''));
    const namespaces = stores('namespaces');
    assert.equal(watchScope(namespaces, '', 'n'), namespaces.keyOf('', 'n'));
  });

  it('begin with what exists where no version or version 0 is named', async () => {
    for (const revision of [undefined, 0]) {
      assert.deepEqual(await start({ revision }), { kind: 'initial', endBookmark: false });
      assert.deepEqual(await start({ revision, sendInitialEvents: true }), { kind: 'initial', endBookmark: true });
      assert.deepEqual(await start({ revision, sendInitialEvents: true, allowBookmarks: false }), {
        kind: 'initial',
        endBookmark: false,
      });
    }
  });

  it('begin after the newest write where the client skips existing objects', async () => {
    const made = await createObject(other('configmaps'), hubObject(configMap, { name: 'm' }), write('v1'));
    const begin = await start({ sendInitialEvents: false });
    assert.equal(begin.kind, 'after');
    assert.ok('revision' in begin && begin.revision >= made.revision);
  });

  it('begin after a version that is named, or with what existed at it', async () => {
    const made = await createObject(other('configmaps'), hubObject(configMap, { name: 'v' }), write('v1'));
    const { revision } = made;
    for (const sendInitialEvents of [undefined, false])
      assert.deepEqual(await start({ revision, sendInitialEvents }), { kind: 'after', revision });
    assert.deepEqual(await start({ revision, sendInitialEvents: true }), { kind: 'initial', endBookmark: true });
    assert.ok(stores('configmaps').cacher.revision >= revision);
  });
});
