import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentNetwork } from '../fixtures/node-agent/agent-network.ts';
import { NodeAgent } from '../fixtures/node-agent/node-agent.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { head, RawConnection } from '../security/raw-connection.ts';

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'RequestResponse', resources: [{ group: '', resources: ['pods/*', 'nodes/proxy'] }] }],
};
const POD = '/api/v1/namespaces/default/pods/web';
const NODE = '/api/v1/nodes/n1/proxy';
const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

interface Event {
  readonly requestURI: string;
  readonly stage: string;
  readonly verb: string;
  readonly objectRef: object;
  readonly responseStatus: { readonly code: number };
  readonly responseObject?: { readonly reason: string };
}

/** Answers of nodes and pods pass by what writes down other answers. */
describe('audit of connections to nodes', () => {
  let dir: string;
  let agent: NodeAgent;
  let server: TestServer;
  /** What the next connection to a node fails with. */
  let broken: Error | undefined;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-audit-'));
    writeFileSync(path.join(dir, 'policy.json'), JSON.stringify(policy));
    agent = await NodeAgent.start({
      websocketProtocols: ['v4.channel.k8s.io'],
      answer: (request, response) => {
        if (!request.url!.startsWith('/refuse')) return false;
        response.writeHead(418).end('no');
        return true;
      },
    });
    const network = agentNetwork();
    const connect = network.connect.bind(network);
    server = await startTestServer({
      args: [`--audit-policy-file=${dir}/policy.json`, `--audit-log-path=${dir}/audit.log`],
      network: {
        ...network,
        connect: (address, port) => {
          if (broken !== undefined) throw broken;
          return connect(address, port);
        },
      },
    });
    const { client } = server;
    await client.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    await client.patch('/api/v1/nodes/n1/status', 'merge', {
      status: {
        addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
        daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
      },
    });
    await client.post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'web' },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i:1' }] },
    });
    agent.logs.append('default/web/main', 'hello');
  });
  afterEach(() => {
    broken = undefined;
  });
  after(async () => {
    await server.stop();
    await agent.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const eventsOf = (uri: string): Event[] =>
    readFileSync(path.join(dir, 'audit.log'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Event)
      .filter(({ requestURI }) => requestURI === uri);
  const stagesOf = (uri: string): unknown[] =>
    eventsOf(uri).map(({ stage, responseStatus }) => [stage, responseStatus.code]);
  /** The last event comes when the connection is over, which may be after its client knows. */
  async function whenOver(uri: string, stage = 'ResponseComplete'): Promise<void> {
    while (eventsOf(uri).at(-1)?.stage !== stage) await new Promise((resolve) => void setTimeout(resolve, 5));
  }

  for (const [name, uri, code] of [
    ['logs', `${POD}/log`, 200],
    ['a proxied answer', `${NODE}/metrics`, 200],
    ['a refusal of the node', `${NODE}/refuse`, 418],
  ] as const) {
    it(`reports ${name} when it begins and when it is over, without what was in it`, async () => {
      assert.equal((await server.client.get(uri)).status, code);
      await whenOver(uri);
      assert.deepEqual(stagesOf(uri), [
        ['ResponseStarted', code],
        ['ResponseComplete', code],
      ]);
      assert.deepEqual(
        eventsOf(uri).map(({ responseStatus, responseObject }) => [responseStatus, responseObject]),
        Array.from({ length: 2 }, () => [{ metadata: {}, code }, undefined]),
      );
    });
  }

  it('reports a stream when protocols are switched and when both sides are closed', async () => {
    const uri = `${POD}/exec?command=cat&stdin=true&stdout=true`;
    const connection = await RawConnection.open(server.client.url);
    connection.write(
      head('GET', uri, server.client.token, { ...upgrade, 'sec-websocket-protocol': 'v4.channel.k8s.io' }),
    );
    await connection.until((text) => text.startsWith('HTTP/1.1 101 '));
    assert.deepEqual(stagesOf(uri), [['ResponseStarted', 101]]);
    connection.destroy();
    await whenOver(uri);
    assert.deepEqual(stagesOf(uri), [
      ['ResponseStarted', 101],
      ['ResponseComplete', 101],
    ]);
    assert.deepEqual(eventsOf(uri).map(({ verb, objectRef }) => [verb, objectRef])[0], [
      'get',
      { resource: 'pods', namespace: 'default', name: 'web', apiVersion: 'v1', subresource: 'exec' },
    ]);
  });

  it('reports a switch that the node refuses', async () => {
    const uri = `${POD}/exec?command=id&stdout=true`;
    const connection = await RawConnection.open(server.client.url);
    connection.write(head('GET', uri, server.client.token, { ...upgrade, 'sec-websocket-protocol': 'v9.unknown' }));
    await connection.untilClosed();
    await whenOver(uri);
    assert.deepEqual(stagesOf(uri), [
      ['ResponseStarted', 403],
      ['ResponseComplete', 403],
    ]);
  });

  it('reports a node that cannot be reached', async () => {
    const uri = `${NODE}/unreachable`;
    const running = agent.port;
    const status = (port: number): Promise<unknown> =>
      server.client.patch('/api/v1/nodes/n1/status', 'merge', {
        status: { daemonEndpoints: { kubeletEndpoint: { Port: port } } },
      });
    await status(1);
    const { status: code } = await server.client.get(uri);
    await status(running);
    await whenOver(uri);
    assert.deepEqual(stagesOf(uri), [
      ['ResponseStarted', code],
      ['ResponseComplete', code],
    ]);
    assert.equal(code, 503);
    assert.equal(eventsOf(uri)[1]!.responseObject!.reason, 'ServiceUnavailable');
  });

  it('reports a handler that fails, and nothing of its inside', async () => {
    const uri = `${NODE}/panic`;
    broken = new TypeError('an inside');
    assert.equal((await server.client.get(uri)).status, 500);
    await whenOver(uri, 'Panic');
    assert.deepEqual(
      eventsOf(uri).map(({ stage, responseStatus }) => [stage, responseStatus]),
      [
        [
          'Panic',
          {
            metadata: {},
            status: 'Failure',
            message: "APIServer panic'd: TypeError",
            reason: 'InternalError',
            code: 500,
          },
        ],
      ],
    );
    assert.equal(server.errors.filter((error) => error.includes('an inside')).length, 1);
  });
});
