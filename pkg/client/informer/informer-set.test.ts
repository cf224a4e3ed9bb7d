import assert from 'node:assert/strict';
import { deployments } from '../../api/apps/tokens.ts';
import { configMaps, secrets } from '../../api/core/tokens.ts';
import { resourceToken, type Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import { metadataOf, type ObjectMetadata } from '../rest/partial-metadata.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { InformerFactory } from './informer-factory.ts';
import { InformerSet } from './informer-set.ts';
import { reflectorSources } from './reflector.ts';

describe('InformerSet', () => {
  let client: FakeClient;
  let clock: FakeClock;
  let set: InformerSet<ObjectMetadata>;
  let seen: string[];

  beforeEach(() => {
    client = new FakeClient();
    clock = new FakeClock();
    seen = [];
    const report = (): void => undefined;
    const sources = reflectorSources(client, { clock, report, random: () => 0.5 });
    set = new InformerSet<ObjectMetadata>(
      sources,
      ({ resource }) => ({
        onAdd: ({ kind, metadata }) => seen.push(`add ${resource} ${metadata.name} ${kind}`),
        onDelete: ({ metadata }) => seen.push(`delete ${resource} ${metadata.name}`),
      }),
      { report, clock },
    );
  });
  afterEach(async () => {
    await set.stop();
    assert.deepEqual([client.cluster.openWatches, clock.pending], [0, 0]);
  });
  const names = (resources: readonly Resource[]): string[] =>
    resources.map(({ version, resource }) => `${resource} ${version}`);

  it('follows the metadata of resources as they come and go', async () => {
    client.cluster.put(configMaps, { metadata: { namespace: 'n', name: 'a' }, data: { k: 'v' } });
    client.cluster.put(secrets, { metadata: { namespace: 'n', name: 'b' } });
    const added = await set.follow([configMaps, secrets].map(metadataOf));
    assert.deepEqual([names(added.added), added.removed], [['configmaps v1', 'secrets v1'], []]);
    await clock.advance(0);
    const kind = 'PartialObjectMetadata';
    assert.deepEqual(seen, [`add configmaps a ${kind}`, `add secrets b ${kind}`]);
    assert.equal('data' in set.find(configMaps)!.lister.get({ namespace: 'n', name: 'a' })!, false);
    const changed = await set.follow([configMaps, deployments].map(metadataOf));
    assert.deepEqual([names(changed.added), names(changed.removed)], [['deployments v1'], ['secrets v1']]);
    client.cluster.remove(secrets, { namespace: 'n', name: 'b' });
    client.cluster.remove(configMaps, { namespace: 'n', name: 'a' });
    await clock.advance(0);
    assert.deepEqual(seen.slice(2), ['delete configmaps a']);
    assert.equal(set.find(secrets), undefined);
  });

  it('follows a resource in one version', async () => {
    const beta = resourceToken('apps/v1beta1', 'deployments', 'Deployment', true);
    await set.follow([metadataOf(deployments)]);
    const { added, removed } = await set.follow([metadataOf(beta)]);
    assert.deepEqual([names(added), names(removed)], [['deployments v1beta1'], ['deployments v1']]);
    assert.deepEqual(names(set.resources), ['deployments v1beta1']);
  });

  it('joins the informer that others have of the whole objects, which goes on without it', async () => {
    const report = (): void => undefined;
    const sources = reflectorSources(client, { clock, report, random: () => 0.5 });
    const factory = new InformerFactory(sources, { report, clock });
    const whole = factory.informer(configMaps);
    factory.informer(secrets, { namespace: 'n' });
    const handler = {
      onAdd: ({ metadata }: ApiObject) => seen.push(`add ${metadata.name}`),
      onDelete: ({ metadata }: ApiObject) => seen.push(`delete ${metadata.name}`),
    };
    const joining = new InformerSet<ApiObject>(sources, () => handler, { report, clock, shared: factory });
    client.cluster.put(configMaps, { metadata: { namespace: 'n', name: 'a' }, data: { k: 'v' } });
    client.cluster.put(secrets, { metadata: { namespace: 'other', name: 'b' } });
    await joining.follow([configMaps, secrets].map(metadataOf));
    await clock.advance(0);
    // One that others have not started yet has shown nothing; one of a selection would not show all.
    assert.deepEqual([seen, names(joining.unsynced())], [['add b'], ['configmaps v1']]);
    factory.start();
    await clock.advance(0);
    client.cluster.remove(configMaps, { namespace: 'n', name: 'a' });
    await clock.advance(0);
    assert.deepEqual(seen, ['add b', 'add a', 'delete a']);
    assert.equal(joining.find(configMaps), whole);
    // Of config maps one, of all secrets and of those of one namespace.
    assert.equal(client.cluster.openWatches, 3);
    const beta = resourceToken('v1beta1', 'configmaps', 'ConfigMap', true);
    await joining.follow([metadataOf(beta)]);
    assert.notEqual(joining.find(configMaps), whole);
    await joining.stop();
    client.cluster.put(configMaps, { metadata: { namespace: 'n', name: 'c' } });
    await clock.advance(0);
    assert.deepEqual([seen.length, whole.lister.size], [3, 1]);
    await factory.stop();
  });

  it('knows which resources do not answer, and goes on with the others', async () => {
    client.before = ({ resource }) => {
      if (resource === 'secrets') throw serviceUnavailable('no endpoints');
    };
    await set.follow([configMaps, secrets].map(metadataOf));
    await clock.advance(0);
    assert.deepEqual(names(set.unsynced()), ['secrets v1']);
    client.before = () => undefined;
    await clock.advance(2000);
    assert.deepEqual(set.unsynced(), []);
  });
});
