import assert from 'node:assert/strict';
import { runProgram, toolPath } from '../fixtures/run-program.ts';
import { agentNetwork } from '../fixtures/node-agent/agent-network.ts';
import { NodeAgent } from '../fixtures/node-agent/node-agent.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { head, RawConnection } from './raw-connection.ts';

describe('connections to nodes', () => {
  let agent: NodeAgent;
  let server: TestServer;
  const network = agentNetwork();
  const pods = '/api/v1/namespaces/default/pods';

  before(async () => {
    agent = await NodeAgent.start({
      answer: (request, response) => {
        if (!request.url!.startsWith('/move')) return false;
        response.writeHead(302, { location: request.url === '/move/away' ? 'https://192.0.2.99/x' : '/metrics' }).end();
        return true;
      },
    });
    server = await startTestServer({ network });
    const { client } = server;
    for (const [name, address] of [['n1', '192.0.2.10'], ['local', '127.0.0.1']] as const) {
      await client.post('/api/v1/nodes', { metadata: { name } });
      await client.patch(`/api/v1/nodes/${name}/status`, 'merge', { status: { addresses: [{ type: 'InternalIP', address }], daemonEndpoints: { kubeletEndpoint: { Port: agent.port } } } });
    }
    await client.post(pods, { metadata: { name: 'web' }, spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i:1' }] } });
    agent.logs.append('default/web/main', 'hello');
  });
  after(async () => {
    await server.stop();
    await agent.stop();
  });

  it('show an agent nothing of who asks', async () => {
    const { status, body } = await server.client.get(`${pods}/web/log`, { 'x-remote-user': 'root' });
    assert.deepEqual([status, body.toString()], [200, 'hello\n']);
    assert.equal((await server.client.get('/api/v1/nodes/n1/proxy/metrics', { 'x-remote-user': 'root', 'x-own': 'v' })).body.toString(), 'agent_up 1\n');
    const { headers } = agent.received.at(-1)!;
    assert.deepEqual([headers.authorization, headers['x-remote-user'], headers['x-own'], headers['x-forwarded-uri']], [undefined, undefined, 'v', '/api/v1/nodes/n1/proxy/metrics']);
  });

  it('follow no redirect', async () => {
    const before = network.dialled.length;
    assert.equal((await server.client.get('/api/v1/nodes/n1/proxy/move/away')).headers.location, 'https://192.0.2.99/x');
    assert.equal((await server.client.get('/api/v1/nodes/n1/proxy/move/here')).headers.location, '/api/v1/nodes/n1/proxy/metrics');
    assert.deepEqual(network.dialled.slice(before), Array.from({ length: 2 }, () => `192.0.2.10:${agent.port}`));
  });

  it('lead to no address of this machine', async () => {
    const before = network.dialled.length;
    const { status, json } = await server.client.get('/api/v1/nodes/local/proxy/metrics');
    assert.deepEqual([status, json.message], [400, 'address not allowed']);
    assert.equal(network.dialled.length, before);
  });

  it('end with an upgrade that the backend refuses', async () => {
    const connection = await RawConnection.open(server.client.url);
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'sec-websocket-protocol': 'v5.channel.k8s.io' };
    const seen = agent.received.length;
    connection.write(head('GET', `${pods}/web/exec?command=id&stdout=true`, server.client.token, headers));
    await connection.until((text) => text.includes('no protocol in common'));
    connection.write(head('GET', '/pods', 'stolen'));
    const text = await connection.untilClosed();
    assert.match(text, /^HTTP\/1\.1 403 /);
    assert.equal(text.match(/HTTP\/1\.1/g)!.length, 1);
    assert.equal(agent.received.length, seen + 1);
    assert.equal(agent.sockets.size, 0);
  });

  it('need an upgrade where they are streams', async () => {
    assert.equal((await server.client.get(`${pods}/web/exec?command=id&stdout=true`)).json.message, 'Upgrade request required');
  });

  it('carry commands of real kubectl', async () => {
    const exec = (...args: string[]) => runProgram(toolPath('kubectl-1.32'), [`--kubeconfig=${server.running.kubeconfig}`, 'exec', '-i', 'web', '--', ...args], { stdin: 'some text' });
    assert.deepEqual(await exec('cat'), { status: 0, stdout: 'some text', stderr: '' });
    assert.equal((await exec('sh', '-c', 'exit 3')).status, 3);
  });
});
