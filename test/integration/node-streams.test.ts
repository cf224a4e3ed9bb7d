/** Streams between clients and the agents of nodes, byte by byte: what kubectl does not show. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { agentNetwork } from '../fixtures/node-agent/agent-network.ts';
import { NodeAgent } from '../fixtures/node-agent/node-agent.ts';
import { acceptKey } from '../../pkg/simulation/agent-server/web-socket-session.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { head, RawConnection } from '../security/raw-connection.ts';

const protocols = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
  'v4.base64.channel.k8s.io',
];
/** The head of a frame by which a server says goodbye. */
const CLOSE_FRAME = '\x88\x02';
const KEY = 'AAAAAAAAAAAAAAAAAAAAAA==';

describe('streams between clients and nodes', () => {
  let agent: NodeAgent;
  let server: TestServer;
  const pods = '/api/v1/namespaces/default/pods';
  const container = (name: string): object => ({ name, image: 'i:1' });

  before(async () => {
    agent = await NodeAgent.start({
      websocketProtocols: protocols,
      answer: (request, response) => {
        if (!request.url!.startsWith('/containerLogs/default/dying')) return false;
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => void request.socket.destroy());
        return true;
      },
    });
    server = await startTestServer({ network: agentNetwork() });
    const { client } = server;
    await client.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    await client.patch('/api/v1/nodes/n1/status', 'merge', {
      status: {
        addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
        daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
      },
    });
    await client.post(pods, { metadata: { name: 'web' }, spec: { nodeName: 'n1', containers: [container('main')] } });
    await client.post(pods, { metadata: { name: 'dying' }, spec: { nodeName: 'n1', containers: [container('main')] } });
    await client.post(pods, {
      metadata: { name: 'many' },
      spec: {
        nodeName: 'n1',
        initContainers: [container('first')],
        containers: [container('main'), container('side')],
      },
    });
  });
  beforeEach(() => {
    agent.received.length = 0;
  });
  after(async () => {
    await server.stop();
    await agent.stop();
    assert.deepEqual(server.errors, []);
  });

  /** Asks for a WebSocket; without `showsToken` the client shows who it is in its subprotocols or not at all. */
  async function webSocket(path: string, offered: string, showsToken = true): Promise<RawConnection> {
    const connection = await RawConnection.open(server.client.url);
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': KEY,
      'sec-websocket-protocol': offered,
    };
    const text = head('GET', `${pods}/${path}`, server.client.token, headers);
    connection.write(showsToken ? text : text.replace(/authorization: .*\r\n/, ''));
    return connection;
  }
  /** All that came until the agent said goodbye. */
  async function whole(connection: RawConnection): Promise<string> {
    const text = await connection.until((received) => received.includes(CLOSE_FRAME));
    connection.destroy();
    return text;
  }
  const exec = (command: string): string =>
    `web/exec?stdout=true&command=sh&command=-c&command=${encodeURIComponent(command)}`;

  for (const protocol of protocols) {
    it(`speak ${protocol}`, async () => {
      const text = await whole(await webSocket(exec('echo out'), `unknown.example.com, ${protocol}`));
      const [answer = '', frames = ''] = text.split('\r\n\r\n');
      assert.match(answer, /^HTTP\/1\.1 101 /);
      assert.match(answer, new RegExp(`\r\nsec-websocket-accept: ${acceptKey(KEY).replaceAll('+', '\\+')}\r\n`));
      assert.match(answer, new RegExp(`\r\nsec-websocket-protocol: ${protocol.replaceAll('.', '\\.')}(\r\n|$)`));
      assert.ok(
        frames.includes(protocol.includes('base64') ? `1${Buffer.from('out\n').toString('base64')}` : '\x01out\n'),
        JSON.stringify(frames),
      );
    });
  }

  it('show an agent no token that stood among the protocols', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(server.client.token).toString('base64url')}`;
    for (const showsToken of [false, true]) {
      const text = await whole(await webSocket(exec('echo out'), `${token}, v4.channel.k8s.io`, showsToken));
      assert.match(text, /^HTTP\/1\.1 101 [^]*sec-websocket-protocol: v4\.channel\.k8s\.io\r\n/i);
      assert.equal(agent.received.at(-1)!.headers['sec-websocket-protocol'], 'v4.channel.k8s.io');
    }
  });

  it('carry what is asked, and nothing else of the query', async () => {
    await whole(
      await webSocket(
        'many/exec?command=a%20b&command=%26c%3D&command=&command=%E2%82%AC&container=first&stdin=1&stdout=true&stderr=false&tty=0&pretty=true',
        protocols[0]!,
      ),
    );
    assert.equal(
      decodeURIComponent(agent.received.at(-1)!.url.replaceAll('+', ' ')),
      '/exec/default/many/first?input=1&output=1&command=a b&command=&c=&command=&command=€',
    );
    await (await webSocket('web/portforward?ports=80&ports=8080,9090', protocols[0]!)).untilClosed();
    assert.equal(agent.received.at(-1)!.url, '/portForward/default/web?port=80%2C8080%2C9090');
  });

  it('need a container that is there, and one alone or named', async () => {
    for (const kind of ['exec?command=id&', 'attach?', 'log?']) {
      const ask = async (query: string) => (await server.client.get(`${pods}/many/${kind}${query}`)).json;
      const unnamed = await ask('');
      assert.deepEqual(
        [unnamed.code, unnamed.reason, unnamed.message],
        [400, 'BadRequest', 'a container name must be specified for pod many, choose one of: [first main side]'],
      );
      const unknown = await ask('container=other');
      assert.deepEqual(
        [unknown.code, unknown.reason, unknown.message],
        [400, 'BadRequest', 'container other is not valid for pod many'],
      );
    }
    assert.equal(agent.received.length, 0);
  });

  it('break off with the agent', async () => {
    await assert.rejects(server.client.get(`${pods}/dying/log`), { code: 'ECONNRESET' });
    const connection = await webSocket(exec('sleep 600'), protocols[0]!);
    await connection.until((text) => text.includes('\r\n\r\n'));
    for (const socket of agent.sockets) socket.destroy();
    await connection.untilClosed();
    assert.ok(connection.closed);
  });

  it('lead through proxies to what speaks in a pod', async () => {
    const asked: string[] = [];
    const app = createServer();
    app.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      asked.push(request.url!);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-App: v\r\n\r\n');
      socket.pipe(socket);
    });
    await new Promise<void>((resolve) => void app.listen(0, '127.0.0.1', resolve));
    const { port } = app.address() as AddressInfo;
    await server.client.patch(`${pods}/web/status`, 'merge', {
      status: { podIP: '192.0.2.20', podIPs: [{ ip: '192.0.2.20' }] },
    });
    await server.client.post('/api/v1/namespaces/default/services', {
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }] },
    });
    const target = { ip: '192.0.2.20', targetRef: { kind: 'Pod', namespace: 'default', name: 'web' } };
    await server.client.post('/api/v1/namespaces/default/endpoints', {
      metadata: { name: 'web' },
      subsets: [{ ports: [{ port }], addresses: [target] }],
    });
    try {
      for (const place of [`pods/web:${port}`, 'services/web']) {
        const connection = await RawConnection.open(server.client.url);
        connection.write(
          head('GET', `/api/v1/namespaces/default/${place}/proxy/socket?room=a%2Fb&x`, server.client.token, {
            connection: 'Upgrade',
            upgrade: 'echo',
          }),
        );
        const answer = await connection.until((text) => text.includes('\r\n\r\n'));
        assert.match(answer, /^HTTP\/1\.1 101 [^]*\r\nx-app: v\r\n/);
        connection.write('hello');
        assert.ok((await connection.until((text) => text.endsWith('hello'))).endsWith('\r\n\r\nhello'));
        connection.destroy();
      }
      assert.deepEqual(asked, ['/socket?room=a%2Fb&x', '/socket?room=a%2Fb&x']);
    } finally {
      app.close();
    }
  });

  it('end at the agent when the client leaves', async () => {
    const following = await RawConnection.open(server.client.url);
    agent.logs.append('default/web/main', 'line');
    following.write(head('GET', `${pods}/web/log?follow=true`, server.client.token));
    await following.until((text) => text.includes('line\n'));
    const attached = await webSocket('web/attach?stdin=true&stdout=true', protocols[0]!);
    await attached.until((text) => text.includes('attached'));
    assert.equal(agent.sockets.size, 2);
    following.reset();
    attached.reset();
    while (agent.sockets.size > 0 || agent.logs.following('default/web/main') > 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
