import assert from 'node:assert/strict';
import { configMaps, events, nodes } from '../../api/core/tokens.ts';
import type { ConfigMap, NodeStatus } from '../../generated/types/core-v1.ts';
import type { OwnerReference } from '../../apimachinery/meta/object.ts';
import type { DeleteOptions } from '../../client/rest/client.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { garbageCollectorController } from './controller.ts';
import { OwnerGraph } from './owner-graph.ts';

const CONFIG = { workers: { garbageCollector: 5 }, garbageCollector: { enabled: true } } as ControllersConfig;
const NOBODY = '11111111-1111-1111-1111-111111111111';
const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

describe('the garbage collector', () => {
  let fixture: ControllersFixture;
  beforeEach(() => {
    fixture = new ControllersFixture();
    const resources = [
      { name: 'configmaps', kind: 'ConfigMap', namespaced: true, singularName: '', verbs: VERBS },
      { name: 'nodes', kind: 'Node', namespaced: false, singularName: '', verbs: VERBS },
    ];
    fixture.client.paths.set('/apis', { groups: [] }).set('/api/v1', { resources });
  });
  afterEach(() => fixture.stop());

  const start = (): Promise<void> => fixture.start(garbageCollectorController.create(fixture.context, CONFIG)!);
  const create = (name: string, owners: OwnerReference[] = [], finalizers: string[] = []): Promise<ConfigMap> =>
    fixture.client.create(configMaps, {
      metadata: { name, namespace: 'ns', ownerReferences: owners, finalizers },
      data: {},
    });
  const owner = (name: string, uid: string, blockOwnerDeletion = false): OwnerReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid,
    blockOwnerDeletion,
  });
  const remove = (name: string, propagationPolicy: DeleteOptions['propagationPolicy']): Promise<void> =>
    fixture.client.delete(configMaps, { namespace: 'ns', name }, { propagationPolicy: propagationPolicy! });
  const rest = (): Promise<void> => fixture.clock.advance(1000);
  const names = async (): Promise<(string | undefined)[]> =>
    (await fixture.client.list(configMaps, {})).items.map(({ metadata }) => metadata.name).sort();

  it('deletes dependents of dependents in the background', async () => {
    const root = await create('root');
    const child = await create('child', [owner('root', root.metadata.uid!)]);
    await create('grandchild', [owner('child', child.metadata.uid!)]);
    await start();
    assert.deepEqual(await names(), ['child', 'grandchild', 'root']);
    await remove('root', 'Background');
    await rest();
    assert.deepEqual(await names(), []);
    assert.deepEqual(fixture.errors, []);
  });

  it('sees by the informer of another controller what that follows, and watches the rest itself', async () => {
    const shown = fixture.context.informers.informer(configMaps);
    const root = await create('root');
    await create('child', [owner('root', root.metadata.uid!)]);
    await start();
    const followed = fixture.cluster.calls.filter(({ verb }) => verb === 'watch').map(({ resource }) => resource);
    assert.deepEqual(followed.sort(), ['configmaps', 'nodes']);
    await remove('root', 'Background');
    await rest();
    assert.deepEqual([await names(), shown.lister.list(), fixture.errors], [[], [], []]);
  });

  it('waits in the foreground for dependents that block, and for no others', async () => {
    const root = await create('root');
    await create('blocks', [owner('root', root.metadata.uid!, true)], ['example.org/hold']);
    await create('frees', [owner('root', root.metadata.uid!)], ['example.org/hold']);
    await start();
    await remove('root', 'Foreground');
    await rest();
    assert.deepEqual(await names(), ['blocks', 'frees', 'root']);
    await fixture.client.patch(configMaps, { namespace: 'ns', name: 'blocks' }, 'merge', {
      metadata: { finalizers: null },
    });
    await rest();
    assert.deepEqual(await names(), ['frees']);
  });

  it('leaves dependents without their owner where that is deleted as an orphan maker', async () => {
    const root = await create('root');
    await create('child', [owner('root', root.metadata.uid!)]);
    await start();
    await remove('root', 'Orphan');
    await rest();
    assert.deepEqual(await names(), ['child']);
    const child = await fixture.client.get(configMaps, { namespace: 'ns', name: 'child' });
    assert.deepEqual(child.metadata.ownerReferences ?? [], []);
  });

  it('deletes what names absent owners, and keeps what has another owner or one of an unknown kind', async () => {
    const root = await create('root');
    await create('lost', [owner('nobody', NOBODY)]);
    await create('wrong-uid', [owner('root', '22222222-2222-2222-2222-222222222222')]);
    await create('half', [owner('root', root.metadata.uid!), owner('other', '33333333-3333-3333-3333-333333333333')]);
    await create('unknown', [{ apiVersion: 'example.org/v1', kind: 'Widget', name: 'w', uid: 'w' }]);
    await start();
    await rest();
    assert.deepEqual(await names(), ['half', 'root', 'unknown']);
    const half = await fixture.client.get(configMaps, { namespace: 'ns', name: 'half' });
    assert.deepEqual(
      half.metadata.ownerReferences?.map(({ name }) => name),
      ['root'],
    );
  });

  it('deletes what others write to all the time, and keeps what gets another owner meanwhile', async () => {
    const root = await create('root');
    for (const name of ['busy', 'adopted']) await create(name, [owner('nobody', NOBODY)]);
    const { client, cluster } = fixture;
    let writes = 0;
    client.before = ({ verb, name }) => {
      const object = cluster.find(configMaps, { namespace: 'ns', name });
      if (verb !== 'delete' || object === undefined || writes === 100) return;
      writes++;
      const adopted = name === 'adopted' ? { ownerReferences: [owner('root', root.metadata.uid!)] } : {};
      cluster.put(configMaps, {
        ...object,
        metadata: { ...object.metadata, ...adopted },
        data: { writes: `${writes}` },
      });
    };
    await start();
    await rest();
    assert.deepEqual(await names(), ['adopted', 'root']);
    assert.deepEqual(fixture.errors, []);
    assert.ok(writes < 5, `${writes} attempts`);
  });

  it('reports an owner in another namespace, and deletes its dependent', async () => {
    const root = await create('root');
    await start();
    await fixture.client.create(configMaps, {
      metadata: { name: 'far', namespace: 'other', ownerReferences: [owner('root', root.metadata.uid!)] },
      data: {},
    });
    await rest();
    assert.deepEqual(await names(), ['root']);
    const [event] = (await fixture.client.list(events, {})).items;
    assert.equal(event?.reason, 'OwnerRefInvalidNamespace');
    assert.ok(event?.message?.includes('does not exist in namespace "other"'), event?.message);
  });

  it('keeps what has no namespace and names an owner that would have one', async () => {
    await fixture.client.create(nodes, {
      metadata: { name: 'n', ownerReferences: [owner('nobody', NOBODY)] },
      spec: {},
      status: {} as NodeStatus,
    });
    await start();
    await create('lost', [owner('nobody', NOBODY)]);
    await rest();
    assert.equal((await fixture.client.list(nodes, {})).items.length, 1);
    assert.deepEqual(await names(), []);
    assert.deepEqual(fixture.errors, []);
  });

  it('deletes a dependent that comes when its owner waits already', async () => {
    const root = await create('root');
    await create('held', [owner('root', root.metadata.uid!, true)], ['example.org/hold']);
    await start();
    await remove('root', 'Foreground');
    await rest();
    await create('late', [owner('root', root.metadata.uid!, true)]);
    await rest();
    assert.deepEqual(await names(), ['held', 'root']);
  });

  for (const policy of ['Background', 'Foreground', 'Orphan'] as const) {
    it(`asks once for each of many dependents (${policy})`, async () => {
      const count = 1000;
      const root = await create('root');
      for (let i = 0; i < count; i++) await create(`d-${i}`, [owner('root', root.metadata.uid!, true)]);
      await start();
      const before = fixture.requests.length;
      await remove('root', policy);
      await rest();
      assert.equal((await names()).length, policy === 'Orphan' ? count : 0);
      const made = fixture.requests.slice(before);
      assert.ok(made.length < count + 20, `${made.length} requests`);
    });
  }

  it('looks at an owner with many dependents only when the last of them is gone', () => {
    let attempts = 0;
    const graph = new OwnerGraph({
      attemptToDelete: (uid) => void (uid === 'root' && attempts++),
      attemptToOrphan: () => undefined,
      invalidNamespace: () => undefined,
    });
    const metadata = { name: 'root', namespace: 'ns', uid: 'root' };
    const root = { metadata: { ...metadata, deletionTimestamp: 'now', finalizers: ['foregroundDeletion'] } };
    const dependents = Array.from({ length: 1000 }, (_, i) => ({
      metadata: { name: `d-${i}`, namespace: 'ns', uid: `d-${i}`, ownerReferences: [owner('root', 'root', true)] },
    }));
    graph.put(configMaps, { metadata });
    for (const dependent of dependents) graph.put(configMaps, dependent);
    graph.put(configMaps, root, { metadata });
    const before = attempts;
    for (const dependent of dependents) graph.remove(dependent);
    assert.deepEqual([before, attempts], [1, 2]);
  });
});
