import assert from 'node:assert/strict';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { resourceToken } from '../../api/resource.ts';
import type { KindVersion } from '../../api/resource-definition.ts';
import { autoscalingGroup } from '../../api/autoscaling/resources.ts';
import { configMap as configMapDefinition } from '../../api/core/config-map/config-map.ts';
import { HandlerView } from '../../client/informer/handler-view-testing.ts';
import {
  configMap,
  configMapToken,
  hurriedClock,
  informerContract,
  until,
} from '../../client/informer/informer-contract.ts';
import { InformerFactory } from '../../client/informer/informer-factory.ts';
import { metadataOf } from '../../client/rest/partial-metadata.ts';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { hubObject } from '../../registry/registry-testing.ts';
import { startLocalServer, type LocalServer, type LocalServerOptions } from './cache-source-testing.ts';

describe('informers over the caches of the same process', () => {
  informerContract(() => startLocalServer(), { runs: 30 });
});

describe('CacheSource', () => {
  let server: LocalServer;
  let factory: InformerFactory;
  let problems: unknown[];

  async function start(options: LocalServerOptions = {}): Promise<void> {
    server = await startLocalServer(options);
    problems = [];
    factory = new InformerFactory(server.sources, { report: (error) => problems.push(error), freezeObjects: true });
  }
  afterEach(async () => {
    await factory.stop();
    await server.stop();
  });

  for (const denied of ['list', 'watch']) {
    it(`reports that its user may not ${denied}, and begins when that is allowed`, async () => {
      await start();
      await server.put(configMap('a', 'one', '1'));
      server.allows = (verb) => verb !== denied;
      const informer = factory.informer(configMapToken, { namespace: 'a' });
      factory.start();
      await until(() => server.reported.length > 1, 'two reports');
      assert.ok(server.reported[0] instanceof StatusError);
      const text = `configmaps is forbidden: User "controller" cannot ${denied} resource "configmaps" in API group "" in the namespace "a"`;
      assert.equal(server.reported[0].message, `${text}: not in this test`);
      assert.equal(server.reported[0].code, 403);
      assert.deepEqual([informer.synced, informer.lister.size, informer.lastSyncResourceVersion], [false, 0, '']);
      server.allows = () => true;
      assert.equal(await factory.waitForSync(), true);
      assert.equal(informer.lister.size, 1);
    });
  }

  it('reports a resource that is not served, and stops while it waits for it', async () => {
    await start();
    const informer = factory.informer(resourceToken('example.com/v1', 'things', 'Thing', true));
    factory.start();
    await until(() => server.reported.length > 0, 'a report');
    assert.equal((server.reported[0] as StatusError).code, 404);
    await factory.stop();
    assert.equal(informer.synced, false);
  });

  it('reports a version that is not served, although it is stored', async () => {
    const isOff = ({ groupVersion }: KindVersion): KindVersion => ({
      ...configMapDefinition.versions[0]!,
      groupVersion,
      served: false,
    });
    await start({ resources: [{ ...configMapDefinition, versions: configMapDefinition.versions.map(isOff) }] });
    const informer = factory.informer(configMapToken);
    factory.start();
    await until(() => server.reported.length > 0, 'a report');
    assert.equal((server.reported[0] as StatusError).code, 404);
    await factory.stop();
    assert.equal(informer.synced, false);
  });

  it('ends when its resource is removed, and begins again when that comes back, without waiting for its turn', async () => {
    // What waits for time alone waits for ever.
    await start({ clock: { ...hurriedClock, after: () => () => undefined } });
    await server.put(configMap('n', 'one', '1'));
    const informer = factory.informer(configMapToken);
    const view = new HandlerView();
    const registration = informer.addHandler(view);
    factory.start();
    assert.equal(await registration.whenSynced(), true);
    const { cache } = server.stores.of('configmaps');
    await server.installer.remove(configMapDefinition);
    await until(() => informer.lister.size === 0, 'an empty lister');
    await until(() => view.calls.length === 2 && server.reported.length > 0, 'a deletion, and a report');
    assert.deepEqual([cache.listenerCount, (server.reported[0] as StatusError).code], [0, 404]);
    assert.equal(informer.lastSyncResourceVersion, '');
    await server.installer.add(configMapDefinition);
    await until(() => informer.lister.size === 1, 'what the resource has');
    await server.put(configMap('n', 'two', '2'));
    await until(() => informer.lister.size === 2, 'a change');
    await until(() => view.calls.length === 4, 'all calls');
    assert.deepEqual(view.calls, ['initial n/one', 'delete n/one', 'add n/one', 'add n/two']);
    assert.deepEqual([cache.listenerCount, server.stores.of('configmaps').cache.listenerCount, problems], [0, 1, []]);
  });

  it('goes on with the other form in which its resource is served', async () => {
    await start();
    await server.put(configMap('n', 'one', '1'));
    const informer = factory.informer(configMapToken);
    factory.start();
    assert.equal(await factory.waitForSync(), true);
    const { cache } = server.stores.of('configmaps');
    await server.installer.replace(configMapDefinition, { ...configMapDefinition, shortNames: [] });
    const next = server.stores.of('configmaps').cache;
    await until(() => next.listenerCount === 1, 'the new cache');
    await server.put(configMap('n', 'two', '2'));
    await until(() => informer.lister.size === 2, 'a change');
    assert.deepEqual([cache.listenerCount, server.reported, problems], [0, [], []]);
    assert.ok(next.get('configmaps/n/one')!.object() === informer.lister.get({ namespace: 'n', name: 'one' }));
  });

  it('converts objects of another version than the hub, once', async () => {
    const [autoscaler] = autoscalingGroup.resources;
    await start({
      resources: autoscalingGroup.resources,
      before: async (store, codecOf) => {
        const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } };
        const metrics = [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
        ];
        const object = hubObject(autoscaler!, { name: 'x', uid: 'u' }, { spec: { ...spec, metrics } });
        await store.commit('horizontalpodautoscalers/n/x', {
          expectRevision: 0,
          value: codecOf(autoscaler!).encode(object),
        });
      },
    });
    const token = resourceToken('autoscaling/v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true);
    const { lister } = factory.informer(token);
    factory.start();
    assert.equal(await factory.waitForSync(), true);
    const object = lister.get({ namespace: 'n', name: 'x' }) as {
      apiVersion?: string;
      spec?: { targetCPUUtilizationPercentage?: number };
    };
    assert.equal(object.apiVersion, 'autoscaling/v1');
    assert.equal(object.spec?.targetCPUUtilizationPercentage, 70);
    assert.equal(lister.get({ namespace: 'n', name: 'x' }), object);
  });

  it('shows metadata alone where that is asked for, and whole objects beside', async () => {
    await start();
    await server.put(configMap('n', 'one', '1', { l: 'x' }));
    const partial = factory.informer(metadataOf(configMapToken));
    const whole = factory.informer(configMapToken);
    factory.start();
    assert.equal(await factory.waitForSync(), true);
    const [shown] = partial.lister.list({ labelSelector: parseLabelSelector('l=x') });
    const object = whole.lister.get({ namespace: 'n', name: 'one' })!;
    const type = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
    assert.deepEqual(shown, { ...type, metadata: object.metadata });
    assert.deepEqual(object.data, { value: '1' });
  });

  it('delivers the objects beside a damaged value, and fails for that alone', async () => {
    await start({
      before: async (store) => {
        await store.commit('configmaps/n/damaged', { expectRevision: 0, value: Buffer.from('{"kind":"Pod"}') });
      },
    });
    await server.put(configMap('n', 'one', '1'));
    const informer = factory.informer(configMapToken);
    const view = new HandlerView();
    const registration = informer.addHandler(view);
    factory.start();
    assert.equal(await registration.whenSynced(), true);
    assert.deepEqual(view.calls, ['initial n/one']);
    assert.equal(problems.length, 1);
    assert.match(String(problems[0]), /stored object of configmaps is of kind Pod/);
    assert.throws(() => informer.lister.get({ namespace: 'n', name: 'damaged' }), /is of kind Pod/);
    assert.equal(informer.lister.get({ namespace: 'n', name: 'one' })?.data?.value, '1');
  });

  it('has no followers after it is stopped', async () => {
    await start();
    factory.informer(configMapToken);
    factory.start();
    assert.equal(await factory.waitForSync(), true);
    const { cache } = server.stores.of(configMapDefinition.resource);
    assert.equal(cache.listenerCount, 1);
    await factory.stop();
    assert.equal(cache.listenerCount, 0);
  });
});
