import assert from 'node:assert/strict';
import { configMaps, persistentVolumeClaims, pods, resourceQuotas, secrets, services } from '../../api/core/tokens.ts';
import { resourceClaims } from '../../api/resource/tokens.ts';
import { resourceToken } from '../../api/resource.ts';
import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Pod, ResourceQuota, Service } from '../../generated/types/core-v1.ts';
import type { ResourceClaim } from '../../generated/types/resource-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { resourceQuotaController } from './controller.ts';

const RESYNC_MS = 300_000;
const CONFIG = { workers: { resourceQuota: 2 }, resourceQuota: { resyncMs: RESYNC_MS } } as ControllersConfig;
const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const widgets = resourceToken('example.com/v1', 'widgets', 'Widget', true);
const namespace = 'ns';

describe('the resourcequota controller', () => {
  let fixture: ControllersFixture;

  const serve = (groupVersion: string, ...names: string[]): void => {
    const resources = names.map((name) => ({ name, kind: name, namespaced: true, singularName: '', verbs: VERBS }));
    fixture.client.paths.set(groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`, { resources });
    if (groupVersion === 'v1') return;
    const version = { groupVersion, version: groupVersion.split('/')[1] };
    const group = { name: groupVersion.split('/')[0], versions: [version], preferredVersion: version };
    const { groups } = fixture.client.paths.get('/apis') as { groups: object[] };
    fixture.client.paths.set('/apis', { groups: [...groups, group] });
  };

  beforeEach(() => {
    fixture = new ControllersFixture();
    fixture.client.paths.set('/apis', { groups: [] });
    serve('v1', 'configmaps', 'secrets', 'pods', 'services', 'persistentvolumeclaims', 'events', 'resourcequotas');
  });
  afterEach(() => fixture.stop());

  const start = (config = CONFIG): Promise<void> =>
    fixture.start(resourceQuotaController.create(fixture.context, config)!);
  const rest = (ms = 2000): Promise<void> => fixture.clock.advance(ms);
  const quota = (hard: Record<string, string>, more: object = {}, status = {}): Promise<ResourceQuota> =>
    fixture.client.create(resourceQuotas, { metadata: { name: 'q', namespace }, spec: { hard, ...more }, status });
  const status = async (): Promise<ResourceQuota['status']> =>
    (await fixture.client.get(resourceQuotas, { namespace, name: 'q' })).status;
  const used = async (): Promise<Record<string, string> | undefined> => (await status()).used;
  const pod = (name: string, cpu: string, more: { spec?: object; status?: object; metadata?: object } = {}) =>
    fixture.client.create(pods, {
      metadata: { name, namespace, ...more.metadata },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...more.spec },
      status: { phase: 'Running', ...more.status },
    } as Pod);
  const some = (name: string, of = namespace): ApiObject => ({ metadata: { name, namespace: of } });
  const writes = (): number => fixture.requests.filter(({ verb }) => verb === 'update').length;

  it('counts what there is, in the namespace of the quota alone', async () => {
    await fixture.client.create(services, {
      ...some('s'),
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    } as Service);
    await fixture.client.create(configMaps, some('a'));
    await fixture.client.create(configMaps, some('b'));
    await fixture.client.create(configMaps, some('c', 'other'));
    await pod('p', '1500m');
    await pod('done', '1', { status: { phase: 'Succeeded' } });
    const claim = { spec: { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } } };
    await fixture.client.create(persistentVolumeClaims, { ...some('v'), ...claim } as never);
    const hard = {
      pods: '5',
      'count/pods': '5',
      'requests.cpu': '4',
      'limits.cpu': '4',
      'services.nodeports': '2',
      'requests.storage': '10Gi',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      configmaps: '1',
      'count/secrets': '9',
      resourcequotas: '1',
      'count/unknown.example.com': '1',
    };
    await quota(hard);
    await start();
    assert.deepEqual(await status(), {
      hard,
      used: {
        pods: '1',
        'count/pods': '2',
        'requests.cpu': '1500m',
        'limits.cpu': '0',
        'services.nodeports': '1',
        'requests.storage': '1Gi',
        'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
        configmaps: '2',
        'count/secrets': '0',
        resourcequotas: '1',
      },
    });
    assert.equal(writes(), 1);
    assert.deepEqual(fixture.errors, []);
  });

  it('counts again when an object goes, ends, changes what it takes, or was missed', async () => {
    await pod('a', '1');
    await pod('b', '2');
    await quota({ 'requests.cpu': '10', 'services.nodeports': '5', 'count/secrets': '5' });
    const service = { ...some('s'), spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] } } as Service;
    await fixture.client.create(services, service);
    await start();
    assert.deepEqual(await used(), { 'requests.cpu': '3', 'services.nodeports': '2', 'count/secrets': '0' });
    await fixture.client.delete(pods, { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
    await fixture.client.patch(services, { namespace, name: 's' }, 'merge', { spec: { type: 'ClusterIP' } });
    await rest(100);
    assert.deepEqual(await used(), { 'requests.cpu': '2', 'services.nodeports': '0', 'count/secrets': '0' });
    const ended = { status: { phase: 'Failed' } };
    await fixture.client.patch(pods, { namespace, name: 'b' }, 'merge', ended, { subresource: 'status' });
    await rest(100);
    assert.equal((await used())!['requests.cpu'], '0');
    await fixture.client.create(secrets, some('x'));
    await rest();
    assert.equal((await used())!['count/secrets'], '1');
    await fixture.client.delete(secrets, { namespace, name: 'x' });
    await rest(100);
    assert.equal((await used())!['count/secrets'], '0');
  });

  it('does not write what is there already', async () => {
    const hard = { pods: '2', 'requests.cpu': '2' };
    await quota(
      hard,
      {},
      { hard: { pods: '2', 'requests.cpu': '2000m' }, used: { pods: '1', 'requests.cpu': '1000m' } },
    );
    await pod('a', '1');
    await start();
    await fixture.client.patch(pods, { namespace, name: 'a' }, 'merge', { metadata: { labels: { x: 'y' } } });
    await rest(RESYNC_MS + 1000);
    assert.equal(writes(), 0);
  });

  it('follows the specification, and drops what it bounds no more', async () => {
    await quota({ configmaps: '5', secrets: '5' });
    await fixture.client.create(configMaps, some('a'));
    await start();
    const spec = { hard: { configmaps: '1', secrets: null, 'count/services': '1' } };
    await fixture.client.patch(resourceQuotas, { namespace, name: 'q' }, 'merge', { spec });
    await rest();
    assert.deepEqual(await status(), {
      hard: { configmaps: '1', 'count/services': '1' },
      used: { configmaps: '1', 'count/services': '0' },
    });
  });

  it('counts by scopes', async () => {
    await pod('plain', '1');
    await pod('limited', '2', { spec: { activeDeadlineSeconds: 5 } });
    await pod('idle', '0', { spec: { containers: [{ name: 'c', resources: {} }], priorityClassName: 'high' } });
    const counted = async (more: object): Promise<string | undefined> => {
      await quota({ pods: '9' }, more);
      await rest();
      const { pods: count } = (await used())!;
      await fixture.client.delete(resourceQuotas, { namespace, name: 'q' });
      return count;
    };
    await start();
    const selector = (scopeName: string, operator: string, values?: string[]) => ({
      scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values === undefined ? {} : { values }) }] },
    });
    assert.equal(await counted({ scopes: ['Terminating'] }), '1');
    assert.equal(await counted({ scopes: ['NotTerminating'] }), '2');
    assert.equal(await counted({ scopes: ['NotTerminating', 'NotBestEffort'] }), '1');
    assert.equal(await counted(selector('PriorityClass', 'In', ['high'])), '1');
    assert.equal(await counted(selector('PriorityClass', 'DoesNotExist')), '2');
    assert.equal(await counted({ scopes: ['Terminating'], ...selector('BestEffort', 'Exists') }), '0');
  });

  it('counts the objects of resources that come later', async () => {
    await quota({ 'count/widgets.example.com': '3', 'gpu.deviceclass.resource.k8s.io/devices': '8', configmaps: '1' });
    await start();
    assert.deepEqual(await used(), { configmaps: '0' });
    await fixture.client.create(widgets, some('w'));
    const request = { name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } };
    await fixture.client.create(resourceClaims, {
      ...some('c'),
      spec: { devices: { requests: [request] } },
    } as ResourceClaim);
    serve('example.com/v1', 'widgets');
    serve('resource.k8s.io/v1', 'resourceclaims');
    await rest(35_000);
    assert.deepEqual(await used(), {
      'count/widgets.example.com': '1',
      'gpu.deviceclass.resource.k8s.io/devices': '2',
      configmaps: '0',
    });
    assert.deepEqual(fixture.errors, []);
  });

  it('counts the others where the objects of one resource are not to be had', async () => {
    serve('example.com/v1', 'widgets');
    fixture.client.before = async ({ verb, resource }) => {
      if (resource === 'widgets' && verb !== 'create') throw serviceUnavailable('away');
    };
    const hard = { 'count/widgets.example.com': '3', configmaps: '1' };
    await quota(hard, {}, { hard, used: { 'count/widgets.example.com': '2', configmaps: '1' } });
    await start();
    await rest(10_000);
    assert.deepEqual(await used(), { 'count/widgets.example.com': '2', configmaps: '0' });
    const failure =
      'resourcequota_primary ns/q: objects of widgets.example.com are not counted: they are not known yet';
    assert.ok(fixture.errors.includes(failure), fixture.errors.join('\n'));
    fixture.client.before = () => undefined;
    await fixture.client.create(widgets, some('w'));
    await rest(120_000);
    assert.deepEqual(await used(), { 'count/widgets.example.com': '1', configmaps: '0' });
  });

  it('keeps what a group has that does not answer any more', async () => {
    serve('example.com/v1', 'widgets');
    await fixture.client.create(widgets, some('w'));
    await quota({ 'count/widgets.example.com': '3' });
    await start();
    fixture.client.paths.delete('/apis/example.com/v1');
    await rest(120_000);
    assert.equal(fixture.errors.filter((error) => error.includes('discovery of example.com/v1')).length, 1);
    await fixture.client.delete(widgets, { namespace, name: 'w' });
    await rest();
    assert.deepEqual(await used(), { 'count/widgets.example.com': '0' });
  });

  it('corrects a count after the period', async () => {
    await quota({ pods: '3' });
    await start();
    const wrong = { status: { used: { pods: '2' } } };
    await fixture.client.patch(resourceQuotas, { namespace, name: 'q' }, 'merge', wrong, { subresource: 'status' });
    await rest(RESYNC_MS - 10_000);
    assert.deepEqual(await used(), { pods: '2' });
    await rest(20_000);
    assert.deepEqual(await used(), { pods: '0' });
  });

  it('counts again at changes alone where there is no period', async () => {
    await quota({ pods: '3' });
    await start({ ...CONFIG, resourceQuota: { resyncMs: 0 } });
    await rest();
    assert.deepEqual(await used(), { pods: '0' });
    const wrong = { status: { used: { pods: '2' } } };
    await fixture.client.patch(resourceQuotas, { namespace, name: 'q' }, 'merge', wrong, { subresource: 'status' });
    await rest(2 * RESYNC_MS);
    assert.deepEqual(await used(), { pods: '2' });
    await pod('a', '1');
    await rest();
    await fixture.client.delete(pods, { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
    await rest();
    assert.deepEqual(await used(), { pods: '0' });
  });

  it('follows nothing more than it has to', async () => {
    await quota({ pods: '3', 'requests.storage': '1Gi' });
    await start();
    await rest();
    const followed = (): string[] =>
      [...new Set(fixture.cluster.calls.filter(({ verb }) => verb === 'watch').map(({ resource }) => resource))].sort();
    assert.deepEqual(followed(), ['persistentvolumeclaims', 'pods', 'resourcequotas', 'services']);
    await fixture.client.patch(resourceQuotas, { namespace, name: 'q' }, 'merge', { spec: { hard: { secrets: '1' } } });
    await rest();
    assert.deepEqual(followed(), ['persistentvolumeclaims', 'pods', 'resourcequotas', 'secrets', 'services']);
  });

  it('counts once for many objects that come and go together', async () => {
    await quota({ pods: '3' });
    await start();
    for (let i = 0; i < 20; i++) await pod(`p${i}`, '1');
    await rest();
    const before = writes();
    for (let i = 0; i < 20; i++)
      await fixture.client.delete(pods, { namespace, name: `p${i}` }, { gracePeriodSeconds: 0 });
    await rest();
    assert.deepEqual([writes() - before, await used()], [1, { pods: '0' }]);
  });
});
