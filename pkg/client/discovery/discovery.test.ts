import assert from 'node:assert/strict';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { CachedDiscovery } from './cached-discovery.ts';
import type { DiscoveredResources } from './discovered-resource.ts';
import { DiscoveryClient } from './discovery-client.ts';

const resource = (name: string, kind: string, more: object = {}): object => ({
  name,
  kind,
  singularName: kind.toLowerCase(),
  namespaced: true,
  verbs: ['get', 'list', 'watch'],
  ...more,
});
const discoverResources = (client: FakeClient): Promise<DiscoveredResources> => new DiscoveryClient(client).resources();
const version = (groupVersion: string): object => ({ groupVersion, version: groupVersion.split('/')[1] });

describe('discovery group by group', () => {
  let client: FakeClient;
  beforeEach(() => {
    client = new FakeClient();
    const versions = ['apps/v1beta1', 'apps/v1', 'apps/v1beta2'].map(version);
    client.paths.set('/apis', {
      groups: [
        { name: 'apps', versions, preferredVersion: version('apps/v1') },
        {
          name: 'metrics.k8s.io',
          versions: [version('metrics.k8s.io/v1')],
          preferredVersion: version('metrics.k8s.io/v1'),
        },
      ],
    });
    client.paths.set('/api/v1', {
      resources: [
        resource('pods', 'Pod', { shortNames: ['po'] }),
        resource('pods/status', 'Pod'),
        resource('nodes', 'Node', { namespaced: false }),
      ],
    });
    client.paths.set('/apis/apps/v1', { resources: [resource('deployments', 'Deployment', { categories: ['all'] })] });
    client.paths.set('/apis/apps/v1beta1', {
      resources: [resource('deployments', 'Deployment'), resource('scales', 'Scale', { verbs: null })],
    });
    client.paths.set('/apis/apps/v1beta2', { resources: null });
    client.before = ({ name }) => {
      if (name.includes('metrics')) throw serviceUnavailable('no endpoints');
    };
  });
  const calls = (): number => client.calls.length;

  it('tells which resources another group serves as well', async () => {
    const versions = [version('extensions/v1beta1')];
    client.paths.set('/apis', {
      groups: [
        { name: 'extensions', versions, preferredVersion: versions[0] },
        { name: 'apps', versions: [version('apps/v1')], preferredVersion: version('apps/v1') },
      ],
    });
    client.paths.set('/apis/extensions/v1beta1', {
      resources: [resource('deployments', 'Deployment'), resource('podsecuritypolicies', 'PodSecurityPolicy')],
    });
    const { resources } = await discoverResources(client);
    const moved = resources
      .filter(({ isMoved }) => isMoved)
      .map(({ resource: { group, resource: name } }) => [group, name]);
    assert.deepEqual(moved, [['extensions', 'deployments']]);
  });

  it('finds every resource, though a group does not answer', async () => {
    const { resources, failures } = await discoverResources(client);
    assert.deepEqual(
      resources.map(({ resource: { group, version: v, resource: name }, isPreferred }) => [
        group,
        v,
        name,
        isPreferred,
      ]),
      [
        ['', 'v1', 'pods', true],
        ['', 'v1', 'nodes', true],
        ['apps', 'v1', 'deployments', true],
        ['apps', 'v1beta1', 'deployments', false],
        ['apps', 'v1beta1', 'scales', true],
      ],
    );
    const [pods, nodes, deployments] = resources;
    assert.deepEqual(
      [pods!.subresources, pods!.shortNames, pods!.verbs],
      [['status'], ['po'], ['get', 'list', 'watch']],
    );
    assert.deepEqual([nodes!.resource.namespaced, deployments!.categories], [false, ['all']]);
    assert.deepEqual(
      [...failures].map(([name, error]) => `${name}: ${String(error)}`),
      ['metrics.k8s.io/v1: StatusError: no endpoints'],
    );
    client.failNext('get', serviceUnavailable('away'));
    await assert.rejects(discoverResources(client), /away/);
  });

  it('is remembered until it is old or invalid, and read once for all who wait', async () => {
    const clock = new FakeClock();
    const discovery = new CachedDiscovery(client, { clock, maxAgeMs: 60_000 });
    await Promise.all([discovery.resources(), discovery.resources(), discovery.forKind('v1', 'Pod')]);
    const once = calls();
    await clock.advance(59_999);
    await discovery.resources();
    assert.equal(calls(), once);
    await clock.advance(1);
    await discovery.resources();
    assert.equal(calls(), 2 * once);
    discovery.invalidate();
    await discovery.resources();
    assert.equal(calls(), 3 * once);
  });

  it('finds resources by kind and by name, and asks again for one that it does not know', async () => {
    const clock = new FakeClock();
    const discovery = new CachedDiscovery(client, { clock });
    assert.equal((await discovery.forKind('apps/v1beta1', 'Deployment'))!.version, 'v1beta1');
    assert.equal((await discovery.forResource('apps', 'deployments'))!.version, 'v1');
    assert.equal((await discovery.forResource('apps', 'deployments', 'v1beta1'))!.version, 'v1beta1');
    const before = calls();
    client.paths.set('/apis/apps/v1', { resources: [resource('widgets', 'Widget')] });
    assert.equal(await discovery.forKind('apps/v1', 'Widget'), undefined);
    assert.equal(calls(), before);
    await clock.advance(10_000);
    assert.equal((await discovery.forKind('apps/v1', 'Widget'))!.resource, 'widgets');
    assert.equal(await discovery.forKind('apps/v1', 'Gadget'), undefined);
    assert.equal(calls(), 2 * before);
  });

  it('that fails is tried again by the next who asks', async () => {
    const discovery = new CachedDiscovery(client);
    client.failNext('get', serviceUnavailable('away'));
    await assert.rejects(discovery.resources(), /away/);
    assert.equal((await discovery.resources()).resources.length, 5);
  });
});
