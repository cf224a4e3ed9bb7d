/**
 * Connections through the server as admission webhooks see them: they are asked before anything is opened, and may
 * refuse.
 */
import assert from 'node:assert/strict';
import { agentNetwork } from '../fixtures/node-agent/agent-network.ts';
import { NodeAgent } from '../fixtures/node-agent/node-agent.ts';
import { runProgram, toolPath } from '../fixtures/run-program.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { patchResponse, startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';

describe('admission webhooks and connections', () => {
  let server: TestServer;
  let hook: WebhookServer;
  let agent: NodeAgent;
  const network = agentNetwork();
  const base = '/api/v1/namespaces/default';

  before(async () => {
    [hook, agent] = await Promise.all([startWebhookServer(), NodeAgent.start()]);
    server = await startTestServer({ network });
    const { client } = server;
    await client.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    await client.patch('/api/v1/nodes/n1/status', 'merge', {
      status: {
        addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
        daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
      },
    });
    await client.post(`${base}/pods`, {
      metadata: { name: 'web' },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i:1' }] },
    });
    await client.patch(`${base}/pods/web/status`, 'merge', { status: { phase: 'Running', podIP: '192.0.2.20' } });
    await client.post(`${base}/services`, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
  });
  beforeEach(() => {
    hook.respond(() => undefined);
    hook.reviews.length = 0;
    agent.received.length = 0;
  });
  afterEach(async () => {
    for (const type of ['mutating', 'validating'])
      await server.client.delete(`/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/w`);
  });
  after(async () => {
    await server.stop();
    await Promise.all([hook.close(), agent.stop()]);
    assert.deepEqual(server.errors, []);
  });

  async function register(type: 'mutating' | 'validating', ...resources: string[]): Promise<void> {
    const webhook = {
      name: 'w.example.com',
      clientConfig: hook.clientConfig(),
      rules: [{ operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const { status, body } = await server.client.post(
      `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`,
      { metadata: { name: 'w' }, webhooks: [webhook] },
    );
    assert.equal(status, 201, body.toString());
  }
  const exec = (...args: string[]) =>
    runProgram(toolPath('kubectl-1.32'), [
      `--kubeconfig=${server.running.kubeconfig.path}`,
      'exec',
      'web',
      '--',
      ...args,
    ]);

  const v1 = (kind: string): object => ({ group: '', version: 'v1', kind });
  const cases: [
    path: string,
    resource: string,
    subresource: string,
    options: { readonly kind: string; readonly [field: string]: unknown },
  ][] = [
    [
      'pods/web/exec?command=sh&command=-c&stdin=true&stdout=true&tty=true&container=main',
      'pods',
      'exec',
      { kind: 'PodExecOptions', stdin: true, stdout: true, tty: true, container: 'main', command: ['sh', '-c'] },
    ],
    ['pods/web/attach?stdout=true', 'pods', 'attach', { kind: 'PodAttachOptions', stdout: true }],
    ['pods/web/portforward?ports=80', 'pods', 'portforward', { kind: 'PodPortForwardOptions', ports: [80] }],
    ['pods/web/proxy/a/b?c=d', 'pods', 'proxy', { kind: 'PodProxyOptions', path: '/a/b' }],
    ['services/web/proxy/', 'services', 'proxy', { kind: 'ServiceProxyOptions', path: '/' }],
  ];

  it('shows what is asked of a connection, in its own kind', async () => {
    await register('validating', '*/*');
    const shown = async (path: string): Promise<any> => {
      hook.reviews.length = 0;
      await server.client.get(path);
      assert.equal(hook.reviews.length, 1, path);
      return hook.reviews[0];
    };
    for (const [path, resource, subResource, { kind, ...options }] of cases) {
      const review = await shown(`${base}/${path}`);
      assert.deepEqual(
        { ...review, uid: 0, userInfo: 0, object: 0 },
        {
          uid: 0,
          kind: v1(kind),
          resource: { group: '', version: 'v1', resource },
          subResource,
          requestKind: v1(kind),
          requestResource: { group: '', version: 'v1', resource },
          requestSubResource: subResource,
          name: 'web',
          namespace: 'default',
          operation: 'CONNECT',
          userInfo: 0,
          object: 0,
          oldObject: null,
          dryRun: false,
          options: null,
        },
      );
      assert.deepEqual(review.object, { kind, apiVersion: 'v1', ...options });
      assert.ok(review.userInfo.username !== '');
    }
    const node = await shown('/api/v1/nodes/n1/proxy/metrics');
    assert.deepEqual(
      [node.kind, node.object, node.name, node.namespace],
      [v1('NodeProxyOptions'), { kind: 'NodeProxyOptions', apiVersion: 'v1', path: '/metrics' }, 'n1', undefined],
    );
  });

  it('opens nothing that a webhook refuses', async () => {
    await register('validating', 'pods/*', 'services/*', 'nodes/*');
    hook.respond(() => ({ allowed: false, status: { code: 403, message: 'nobody enters' } }));
    const dialled = network.dialled.length;
    for (const [path] of [...cases, ['/api/v1/nodes/n1/proxy/metrics']] as const) {
      const { status, json } = await server.client.get(path.startsWith('/') ? path : `${base}/${path}`);
      assert.deepEqual(
        [status, json.message],
        [403, 'admission webhook "w.example.com" denied the request: nobody enters'],
        path,
      );
    }
    const { status, stderr } = await exec('true');
    assert.equal(status, 1);
    assert.match(stderr, /admission webhook "w\.example\.com" denied the request: nobody enters/);
    assert.deepEqual([network.dialled.length, agent.received.length], [dialled, 0]);
  });

  it('does what a webhook made of the options', async () => {
    await register('mutating', 'pods/exec');
    hook.respond(({ object }) =>
      patchResponse({ op: 'replace', path: '/command', value: ['echo', 'instead of', ...object.command] }),
    );
    assert.equal((await exec('rm', 'x')).stdout, 'instead of rm x\n');
  });

  it('calls none whose rules name the object alone', async () => {
    await register('validating', 'pods');
    await server.client.get(`${base}/pods/web/attach?stdout=true`);
    assert.equal(hook.reviews.length, 0);
  });
});
