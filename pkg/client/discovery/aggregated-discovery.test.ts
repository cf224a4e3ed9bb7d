import assert from 'node:assert/strict';
import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import type { DiscoveredResources } from './discovered-resource.ts';
import { DiscoveryClient } from './discovery-client.ts';

const resource = (name: string, kind: string, more: object = {}): object => ({
  resource: name,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  singularResource: kind.toLowerCase(),
  verbs: ['get', 'list', 'watch'],
  ...more,
});
const group = (name: string, ...versions: object[]): object => ({ metadata: name === '' ? {} : { name }, versions });
const version = (name: string, resources: object[], freshness = 'Current'): object => ({
  version: name,
  resources,
  freshness,
});
const list = (...items: object[]): object => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items,
});

describe('aggregated discovery', () => {
  const core = list(
    group(
      '',
      version('v1', [
        resource('pods', 'Pod', {
          shortNames: ['po'],
          categories: ['all'],
          subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: [] }],
        }),
        resource('nodes', 'Node', { scope: 'Cluster' }),
      ]),
    ),
  );
  const apps = group(
    'apps',
    version('v1', [resource('deployments', 'Deployment')]),
    version('v1beta1', [resource('deployments', 'Deployment'), resource('scales', 'Scale', { verbs: null })]),
  );
  let client: FakeClient;
  let discovery: DiscoveryClient;
  beforeEach(() => {
    client = new FakeClient();
    discovery = new DiscoveryClient(client);
    client.paths.set('/api', core);
    client.paths.set('/apis', list(apps));
  });
  const paths = (): string[] => client.calls.map(({ name }) => name);
  const names = ({ resources }: DiscoveredResources): string[] =>
    resources.map(
      ({ resource: { group: of, version: v, resource: name }, isPreferred }) =>
        `${of}/${v}/${name}${isPreferred ? '' : ' not preferred'}`,
    );

  it('finds every resource by two requests', async () => {
    const { resources, failures } = await discovery.resources();
    assert.deepEqual(names({ resources, failures }), [
      '/v1/pods',
      '/v1/nodes',
      'apps/v1/deployments',
      'apps/v1beta1/deployments not preferred',
      'apps/v1beta1/scales',
    ]);
    assert.deepEqual(paths(), ['/apis', '/api']);
    assert.equal(failures.size, 0);
    const [pods, nodes, , , scales] = resources;
    assert.deepEqual(pods, {
      resource: { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
      verbs: ['get', 'list', 'watch'],
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      subresources: ['status'],
      isPreferred: true,
      isMoved: false,
    });
    assert.deepEqual([nodes!.resource.namespaced, nodes!.subresources, scales!.verbs], [false, [], []]);
  });

  it('asks for the form of today and of release 1.27, and takes the plain one', async () => {
    await discovery.resources();
    const { accept } = client.calls[0]!.options as { accept: string };
    assert.deepEqual(accept.split(','), [
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
      'application/json',
    ]);
  });

  it('has stale group versions among the failures, whatever they had, and the others all the same', async () => {
    const stale = version('v1', [resource('metrics', 'Metric')], 'Stale');
    client.paths.set('/apis', list(apps, group('broken.example.com', stale, version('v1alpha1', []))));
    const found = await discovery.resources();
    assert.ok(names(found).includes('apps/v1/deployments'));
    assert.deepEqual(
      [...found.failures].map(([name, error]) => `${name}: ${(error as Error).message}`),
      ['broken.example.com/v1: stale GroupVersion discovery: broken.example.com/v1'],
    );
    assert.ok(!found.resources.some(({ resource: { group: of } }) => of === 'broken.example.com'));
  });

  it('leaves out a resource without a kind, which has subresources alone', async () => {
    const only = { resource: 'metrics', scope: 'Namespaced', verbs: [], subresources: [{ subresource: 'raw' }] };
    client.paths.set('/apis', list(group('example.com', version('v1', [only, resource('widgets', 'Widget')]))));
    const { resources } = await discovery.resources();
    assert.deepEqual(
      resources.slice(2).map((found) => found.resource.resource),
      ['widgets'],
    );
  });

  it('has the core group among the failures where that alone does not answer', async () => {
    client.before = ({ name }) => {
      if (name === '/api') throw serviceUnavailable('away');
    };
    const { resources, failures } = await discovery.resources();
    assert.deepEqual([resources.length, [...failures.keys()]], [3, ['v1']]);
    client.failNext('get', serviceUnavailable('all is away'));
    await assert.rejects(discovery.resources(), /all is away/);
  });

  it('keeps what has the same entity tag, and reads what has another', async () => {
    client.etags.set('/api', '"1"');
    client.etags.set('/apis', '"1"');
    const first = await discovery.resources();
    const asked = (): unknown[] => client.calls.slice(-2).map(({ options }) => (options as any).ifNoneMatch);
    assert.deepEqual(asked(), [undefined, undefined]);
    assert.equal(await discovery.resources(), first);
    assert.deepEqual(asked(), ['"1"', '"1"']);
    client.paths.set('/apis', list(group('batch', version('v1', [resource('jobs', 'Job')]))));
    client.etags.set('/apis', '"2"');
    assert.deepEqual(names(await discovery.resources()), ['/v1/pods', '/v1/nodes', 'batch/v1/jobs']);
    await discovery.resources();
    assert.deepEqual(asked(), ['"2"', '"1"']);
  });

  it('reads the core group alone in the plain form where only that is plain', async () => {
    client.paths.set('/api', { kind: 'APIVersions', versions: ['v1'] });
    client.paths.set('/api/v1', { resources: [{ name: 'pods', kind: 'Pod', singularName: 'pod', namespaced: true }] });
    const { resources } = await discovery.resources();
    assert.deepEqual(
      [resources.map((found) => found.resource.resource), paths()],
      [
        ['pods', 'deployments', 'deployments', 'scales'],
        ['/apis', '/api', '/api/v1'],
      ],
    );
  });

  it('follows a server that loses the form, and gets it back', async () => {
    client.etags.set('/apis', '"1"');
    const aggregated = await discovery.resources();
    client.etags.clear();
    const named = { groupVersion: 'apps/v1', version: 'v1' };
    client.paths.set('/apis', { kind: 'APIGroupList', groups: [{ name: 'apps', versions: [named] }] });
    client.paths.set('/api/v1', { resources: [] });
    client.paths.set('/apis/apps/v1', { resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true }] });
    assert.deepEqual(names(await discovery.resources()), ['apps/v1/deployments']);
    client.paths.set('/apis', list(apps));
    assert.deepEqual(await discovery.resources(), aggregated);
  });
});
