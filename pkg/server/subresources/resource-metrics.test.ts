import assert from 'node:assert/strict';
import { nodeMetrics, podMetrics } from '../../api/metrics/resource-metrics.ts';
import { startTestServer, type TestServer } from '../server-testing.ts';

const METRICS = '/apis/metrics.k8s.io/v1beta1';

describe('metrics of resources', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
    assert.equal((await api.send('GET', `${METRICS}/nodes`)).status, 404);
    for (const definition of [nodeMetrics, podMetrics]) api.server.registry.add(definition);
    const annotations = { 'kwok.x-k8s.io/node': 'fake' };
    await create('/api/v1/nodes', { metadata: { name: 'a', annotations, labels: { side: 'left' } } });
    await create('/api/v1/nodes', { metadata: { name: 'real' } });
    await pod('one', 'a', '200m');
    await pod('two', 'a');
    await pod('three', 'real');
    await create('/api/v1/namespaces/default/pods', {
      metadata: { name: 'idle' },
      spec: { containers: [container()] },
    });
  });
  after(() => api.stop());

  const container = (cpu?: string): object => ({
    name: 'c',
    image: 'i:1',
    ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
  });
  async function create(path: string, object: object): Promise<void> {
    const { status, body } = await api.send('POST', path, object);
    assert.equal(status, 201, JSON.stringify(body));
  }
  async function pod(name: string, nodeName: string, cpu?: string): Promise<void> {
    const path = '/api/v1/namespaces/default/pods';
    await create(path, { metadata: { name, labels: { app: name } }, spec: { nodeName, containers: [container(cpu)] } });
    const state = { running: { startedAt: '2026-01-01T00:00:00Z' } };
    const status = { phase: 'Running', containerStatuses: [{ name: 'c', ready: true, restartCount: 0, state }] };
    const type = { 'content-type': 'application/merge-patch+json' };
    assert.equal((await api.send('PATCH', `${path}/${name}/status`, { status }, type)).status, 200);
  }
  interface Item {
    readonly metadata: { readonly name: string };
    readonly usage?: object;
    readonly containers?: readonly { readonly usage: object }[];
  }
  const usageOf = (items: readonly Item[]): Record<string, unknown> =>
    Object.fromEntries(
      items.map(({ metadata, usage, containers }) => [metadata.name, usage ?? containers?.[0]?.usage]),
    );
  const list = async (path: string): Promise<Record<string, unknown>> =>
    usageOf((await api.send('GET', `${METRICS}${path}`)).body.items);

  it('show what the pods of simulated nodes use, as selectors ask', async () => {
    const one = { cpu: '100m', memory: '32Mi' };
    const two = { cpu: '10m', memory: '32Mi' };
    assert.deepEqual(await list('/pods'), { one, two });
    assert.deepEqual(await list('/namespaces/default/pods?labelSelector=app%3Done'), { one });
    assert.deepEqual(await list('/namespaces/other/pods'), {});
    const { body } = await api.send('GET', `${METRICS}/namespaces/default/pods/two`);
    assert.deepEqual([body.kind, body.window, body.containers], ['PodMetrics', '30s', [{ name: 'c', usage: two }]]);
    for (const name of ['three', 'idle', 'none'])
      assert.equal((await api.send('GET', `${METRICS}/namespaces/default/pods/${name}`)).status, 404);
  });

  it('show what simulated nodes use', async () => {
    const a = { cpu: '210m', memory: '320Mi' };
    assert.deepEqual(await list('/nodes'), { a });
    assert.deepEqual(await list('/nodes?labelSelector=side%3Dright'), {});
    const { body } = await api.send('GET', `${METRICS}/nodes/a`);
    assert.deepEqual([body.kind, body.usage, body.metadata.labels], ['NodeMetrics', a, { side: 'left' }]);
    assert.equal((await api.send('GET', `${METRICS}/nodes/real`)).status, 404);
  });

  it('cannot be written', async () => {
    assert.equal((await api.send('POST', `${METRICS}/nodes`, { metadata: { name: 'b' } })).status, 405);
  });
});
