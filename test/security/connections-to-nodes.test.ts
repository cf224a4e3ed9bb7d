import assert from 'node:assert/strict';
import { runProgram, toolPath } from '../fixtures/run-program.ts';
import { agentNetwork } from '../fixtures/node-agent/agent-network.ts';
import { NodeAgent } from '../fixtures/node-agent/node-agent.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { head, RawConnection } from './raw-connection.ts';

describe('connections to nodes', () => {
  let agent: NodeAgent;
  let server: TestServer;
  // Once it has been looked at, a name leads elsewhere.
  const fickle = ['192.0.2.11'];
  const network = agentNetwork(
    new Map([
      ['fickle.test', fickle],
      ['127.1', ['127.0.0.1']],
      ['mixed.test', ['192.0.2.12', '127.0.0.1']],
    ]),
  );
  const pods = '/api/v1/namespaces/default/pods';

  before(async () => {
    agent = await NodeAgent.start({
      answer: (request, response) => {
        if (!/^\/move|\/moved/.test(request.url!)) return false;
        response.writeHead(302, { location: request.url === '/move/here' ? '/metrics' : 'https://192.0.2.99/x' }).end();
        return true;
      },
    });
    server = await startTestServer({ network });
    const { client } = server;
    for (const [name, type, address] of [
      ['n1', 'InternalIP', '192.0.2.10'],
      ['local', 'InternalIP', '127.0.0.1'],
      ['mapped', 'InternalIP', '::ffff:127.0.0.1'],
      ['link', 'InternalIP', '169.254.169.254'],
      ['local6', 'InternalIP', '::1'],
      ['old6', 'InternalIP', '::127.0.0.1'],
      ['link6', 'InternalIP', 'fe80::1'],
      ['any', 'InternalIP', '0.0.0.0'],
      ['short', 'Hostname', '127.1'],
      ['fickle', 'Hostname', 'fickle.test'],
      ['mixed', 'Hostname', 'mixed.test'],
    ] as const) {
      await client.post('/api/v1/nodes', { metadata: { name } });
      await client.patch(`/api/v1/nodes/${name}/status`, 'merge', {
        status: { addresses: [{ type, address }], daemonEndpoints: { kubeletEndpoint: { Port: agent.port } } },
      });
    }
    for (const name of ['web', 'moved'])
      await client.post(pods, {
        metadata: { name },
        spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i:1' }] },
      });
    agent.logs.append('default/web/main', 'hello');
  });
  after(async () => {
    await server.stop();
    await agent.stop();
  });

  it('show an agent nothing of who asks', async () => {
    const { status, body } = await server.client.get(`${pods}/web/log`, { 'x-remote-user': 'root' });
    assert.deepEqual([status, body.toString()], [200, 'hello\n']);
    assert.equal(
      (
        await server.client.get('/api/v1/nodes/n1/proxy/metrics', { 'x-remote-user': 'root', 'x-own': 'v' })
      ).body.toString(),
      'agent_up 1\n',
    );
    const { headers } = agent.received.at(-1)!;
    assert.deepEqual(
      [headers.authorization, headers['x-remote-user'], headers['x-own'], headers['x-forwarded-uri']],
      [undefined, undefined, 'v', '/api/v1/nodes/n1/proxy/metrics'],
    );
  });

  it('follow no redirect', async () => {
    const before = network.dialled.length;
    assert.equal(
      (await server.client.get('/api/v1/nodes/n1/proxy/move/away')).headers.location,
      'https://192.0.2.99/x',
    );
    assert.equal(
      (await server.client.get('/api/v1/nodes/n1/proxy/move/here')).headers.location,
      '/api/v1/nodes/n1/proxy/metrics',
    );
    const log = await server.client.get(`${pods}/moved/log`);
    assert.deepEqual(
      [log.status, log.json.message],
      [500, `Get "https://192.0.2.10:${agent.port}/containerLogs/default/moved/main": redirects forbidden`],
    );
    assert.deepEqual(
      network.dialled.slice(before),
      Array.from({ length: 3 }, () => `192.0.2.10:${agent.port}`),
    );
  });

  it('lead to no address of this machine or its link', async () => {
    const before = network.dialled.length;
    for (const name of [
      'local',
      'mapped',
      'link',
      'local6',
      'old6',
      'link6',
      'any',
      'short',
      'mixed',
      'https:local:443',
      'http:link:80',
    ]) {
      const { status, json } = await server.client.get(`/api/v1/nodes/${name}/proxy/metrics`);
      assert.deepEqual([status, json.message], [400, 'address not allowed'], name);
    }
    assert.equal(network.dialled.length, before);
  });

  it('lead to the address that was looked at, not to what its name means afterwards', async () => {
    const before = network.dialled.length;
    const resolve = network.resolve.bind(network);
    network.resolve = async (name) => {
      const addresses = [...(await resolve(name))];
      fickle.splice(0, 1, '127.0.0.1');
      return addresses;
    };
    assert.equal((await server.client.get('/api/v1/nodes/fickle/proxy/metrics')).status, 200);
    assert.deepEqual(network.dialled.slice(before), [`192.0.2.11:${agent.port}`]);
    assert.equal((await server.client.get('/api/v1/nodes/fickle/proxy/metrics')).json.message, 'address not allowed');
    assert.equal(network.dialled.length, before + 1);
  });

  const webSocket = {
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'sec-websocket-protocol': 'v5.channel.k8s.io',
  };
  const refused: readonly (readonly [path: string, headers: Record<string, string>, answer: RegExp])[] = [
    [`${pods}/web/exec?command=id&stdout=true`, webSocket, /^HTTP\/1\.1 403 [^]*no protocol in common/],
    [`${pods}/web/attach?stdout=true`, webSocket, /^HTTP\/1\.1 403 [^]*no protocol in common/],
    [`${pods}/web/portforward?ports=80`, webSocket, /^HTTP\/1\.1 403 [^]*no protocol in common/],
    ['/api/v1/nodes/n1/proxy/nowhere', { upgrade: 'SPDY/3.1' }, /^HTTP\/1\.1 404 [^]*404 page not found/],
    ['/api/v1/nodes/n1/proxy/metrics', { upgrade: 'h2c' }, /^HTTP\/1\.1 404 [^]*404 page not found/],
  ];
  for (const [path, headers, answer] of refused) {
    it(`end with an upgrade that the backend refuses: ${path}`, async () => {
      const seen = agent.received.length;
      // What would go through sooner or later, were there a way.
      for (const behind of ['', head('GET', '/pods', 'stolen')]) {
        const connection = await RawConnection.open(server.client.url);
        connection.write(head('GET', path, server.client.token, { connection: 'Upgrade', ...headers }) + behind);
        await connection.until((text) => answer.test(text));
        connection.write(head('GET', '/pods', 'stolen'));
        const text = await connection.untilClosed();
        assert.match(text, answer);
        assert.equal(text.match(/HTTP\/1\.1/g)!.length, 1);
      }
      assert.deepEqual(
        agent.received.slice(seen).map(({ url }) => url.includes('/pods')),
        [false, false],
      );
      assert.equal(agent.sockets.size, 0);
    });
  }

  it('need an upgrade where they are streams', async () => {
    assert.equal(
      (await server.client.get(`${pods}/web/exec?command=id&stdout=true`)).json.message,
      'Upgrade request required',
    );
  });

  it('carry commands of real kubectl', async () => {
    const exec = (...args: string[]) =>
      runProgram(
        toolPath('kubectl-1.32'),
        [`--kubeconfig=${server.running.kubeconfig.path}`, 'exec', '-i', 'web', '--', ...args],
        { stdin: 'some text' },
      );
    assert.deepEqual(await exec('cat'), { status: 0, stdout: 'some text', stderr: '' });
    assert.equal((await exec('sh', '-c', 'exit 3')).status, 3);
  });
});
