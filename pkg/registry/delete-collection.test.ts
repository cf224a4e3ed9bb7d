import assert from 'node:assert/strict';
import { configMap } from '../api/core/config-map/config-map.ts';
import { createObject } from './create-object.ts';
import { deleteCollection } from './delete-collection.ts';
import { hubObject, openRegistry, write, type Replica, type TestRegistry } from './registry-testing.ts';

describe('deleteCollection', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let count = 0;

  before(async () => {
    registry = openRegistry([configMap]);
    stores = await registry.replica();
  });
  after(() => registry.stop());

  const make = (size: number, metadata = {}) =>
    Promise.all(
      Array.from({ length: size }, () =>
        createObject(stores('configmaps'), hubObject(configMap, { name: `m${++count}`, ...metadata }), write('v1')),
      ),
    );
  const run = (objects: Awaited<ReturnType<typeof make>>, workers: number, request: Parameters<typeof write>[2] = {}) =>
    deleteCollection(stores('configmaps'), objects, { ...write('v1', '', request), options: {} }, workers);

  for (const workers of [0, 1, 7, 1000]) {
    it(`removes the listed objects and no others, with ${workers} workers`, async () => {
      const [kept, objects] = [await make(1), await make(30)];
      assert.equal(await run(objects, workers), objects);
      assert.deepEqual(
        await registry.keys('configmaps/'),
        kept.map((o) => o.key),
      );
      await run(kept, 1);
    });
  }

  it('has nothing to do for an empty list', async () => assert.deepEqual(await run([], 5), []));

  it('counts a missing object as deleted', async () => {
    const objects = await make(5);
    await registry.store.commit(objects[2]!.key, { expectRevision: objects[2]!.revision });
    await run(objects, 2);
    assert.deepEqual(await registry.keys('configmaps/'), []);
  });

  it('stops at the first other error and throws it', async () => {
    const objects = await make(20);
    let asked = 0;
    const plugins = [
      {
        name: 'p',
        validate: () => {
          if (++asked === 5) throw new Error('enough');
        },
      },
    ];
    await assert.rejects(run(objects, 1, { plugins }), { message: 'enough' });
    assert.equal((await registry.keys('configmaps/')).length, 16);
    await run(objects, 4);
  });

  it('changes nothing in a dry run, and keeps objects with finalizers', async () => {
    const objects = await make(3);
    const held = await make(2, { finalizers: ['example.com/f'] });
    await run([...objects, ...held], 2, { dryRun: true });
    assert.equal((await registry.keys('configmaps/')).length, 5);
    await run([...objects, ...held], 2);
    assert.deepEqual(await registry.keys('configmaps/'), held.map((o) => o.key).sort());
  });
});
