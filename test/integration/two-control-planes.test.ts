import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { namespaces } from '../../pkg/api/core/tokens.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** The settings of one control plane concern no other in its process. */
describe('two control planes in one process', () => {
  let plain: TestServer;
  let other: TestServer;
  before(async () => {
    [plain, other] = await Promise.all([
      startTestServer(),
      startTestServer({
        args: [
          '--allow-privileged=true',
          '--service-cluster-ip-range=10.77.0.0/24',
          '--runtime-config=batch/v1=false',
          '--feature-gates=APIListChunking=false',
          '--emulated-version=1.35',
        ],
      }),
    ]);
  });
  after(async () => {
    await Promise.all([plain.stop(), other.stop()]);
    assert.deepEqual([plain.errors, other.errors], [[], []]);
  });
  const both = async <T>(ask: (server: TestServer) => Promise<T>): Promise<[T, T]> => [
    await ask(plain),
    await ask(other),
  ];

  it('have ports, tokens and authorities of their own', async () => {
    assert.notEqual(plain.running.url, other.running.url);
    assert.notEqual(plain.running.token, other.running.token);
    const foreign = await other.client.send('GET', '/api/v1/namespaces', {
      headers: { authorization: `Bearer ${plain.running.token}` },
    });
    assert.equal(foreign.status, 401);
  });

  it('have objects of their own', async () => {
    await plain.client.post('/api/v1/namespaces', { metadata: { name: 'only-here' } });
    const seen = await both(async ({ client }) => (await client.get('/api/v1/namespaces/only-here')).status);
    assert.deepEqual(seen, [200, 404]);
  });

  it('serve what their own options say', async () => {
    assert.deepEqual(await both(async ({ client }) => (await client.get('/apis/batch/v1')).status), [200, 404]);
    const addresses = await both(
      async ({ client }) => (await client.get('/api/v1/namespaces/default/services/kubernetes')).json.spec.clusterIP,
    );
    assert.deepEqual(addresses, ['10.0.0.1', '10.77.0.1']);
    const continued = await both(
      async ({ client }) => (await client.get('/api/v1/namespaces?limit=1')).json.metadata.continue !== undefined,
    );
    assert.deepEqual(continued, [true, false]);
    assert.deepEqual(await both(async ({ client }) => (await client.get('/version')).json.emulationMinor), [
      '36',
      '35',
    ]);
  });

  it('let pods be privileged by their own options', async () => {
    const pod = {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] },
    };
    assert.deepEqual(
      await both(async ({ client }) => (await client.post('/api/v1/namespaces/default/pods', pod)).status),
      [422, 201],
    );
  });

  it('count their own requests', async () => {
    const refusedPods = /^apiserver_request_total\{[^}]*resource="pods"[^}]*code="422"/m;
    const counted = async ({ client }: TestServer): Promise<boolean> =>
      refusedPods.test((await client.get('/metrics')).body.toString());
    assert.deepEqual(await both(counted), [true, false]);
  });

  it('are used by programs of the process, each through its own handle', async () => {
    const user = { name: 'admin', groups: ['system:masters'] };
    const names = await both(async ({ running }) =>
      (await running.localClient(user).list(namespaces)).items.map(({ metadata }) => metadata.name),
    );
    assert.deepEqual(
      names.map((list) => list.includes('only-here')),
      [true, false],
    );
  });

  it('leave nothing in the process that keeps it alive', () => {
    const program = path.resolve(import.meta.dirname, '../fixtures/two-control-planes.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.deepEqual([status, stdout], [0, '[[],[]]'], stderr);
  }).timeout(90_000);
});
