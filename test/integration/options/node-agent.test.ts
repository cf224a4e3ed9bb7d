import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIENT_AUTH, TestAuthority } from '../../../pkg/net/certificates-testing.ts';
import { agentNetwork } from '../../fixtures/node-agent/agent-network.ts';
import { NodeAgent, type NodeAgentSettings } from '../../fixtures/node-agent/node-agent.ts';
import { startTestServer } from '../../fixtures/test-server.ts';

/** What each option for node agents changes in how they are called. */
describe('Options of node agents', () => {
  const HOLE = '192.0.2.66';
  let dir: string;
  let agent: NodeAgent;

  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-agent-options-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));
  afterEach(() => agent.stop());

  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };

  interface Asked {
    readonly args: readonly string[];
    readonly addresses: readonly { readonly type: string; readonly address: string }[];
    /** What the node tells. */
    readonly port?: number;
  }

  /** Asks for a pod's log on a server with these options; gives the answer, and where it looked for the node. */
  async function askForLog({
    args,
    addresses,
    port,
  }: Asked): Promise<{ status: number; text: string; dialled: readonly string[] }> {
    const network = agentNetwork(
      new Map([
        ['n1.test', ['192.0.2.1']],
        ['n1.inside.test', ['192.0.2.2']],
      ]),
    );
    const connect = network.connect.bind(network);
    network.connect = (address, to) => (address === HOLE ? new Socket() : connect(address, to));
    const server = await startTestServer({ network, args });
    try {
      const { client } = server;
      await client.post('/api/v1/nodes', { metadata: { name: 'n1' } });
      await client.patch('/api/v1/nodes/n1/status', 'merge', {
        status: { addresses, ...(port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: port } } }) },
      });
      await client.post('/api/v1/namespaces/default/pods', {
        metadata: { name: 'web' },
        spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i:1' }] },
      });
      const { status, body, headers } = await client.get('/api/v1/namespaces/default/pods/web/log');
      return {
        status,
        text: headers['content-type'] === 'application/json' ? JSON.parse(body.toString()).message : body.toString(),
        dialled: network.dialled,
      };
    } finally {
      await server.stop();
    }
  }
  async function start(settings: NodeAgentSettings = {}): Promise<void> {
    agent = await NodeAgent.start(settings);
    agent.logs.append('default/web/main', 'hello');
  }
  const inside = [{ type: 'InternalIP', address: '192.0.2.1' }];

  it('--nodeagent-https=false: agents are called without TLS', async () => {
    await start({ https: false });
    const asked = { addresses: inside, port: agent.port };
    assert.deepEqual(await askForLog({ ...asked, args: ['--nodeagent-https=false'] }), {
      status: 200,
      text: 'hello\n',
      dialled: [`192.0.2.1:${agent.port}`],
    });
    const { status, text } = await askForLog({ ...asked, args: [] });
    assert.deepEqual(
      [status, text],
      [500, `Get "https://192.0.2.1:${agent.port}/containerLogs/default/web/main": tls: handshake failure`],
    );
  });

  it('--nodeagent-port: where a node tells none', async () => {
    await start();
    assert.deepEqual(await askForLog({ args: [`--nodeagent-port=${agent.port}`], addresses: inside }), {
      status: 200,
      text: 'hello\n',
      dialled: [`192.0.2.1:${agent.port}`],
    });
    assert.equal((await askForLog({ args: ['--nodeagent-port=1'], addresses: inside, port: agent.port })).status, 200);
    assert.deepEqual((await askForLog({ args: ['--nodeagent-port=1'], addresses: inside })).dialled, ['192.0.2.1:1']);
  });

  it('--nodeagent-timeout: how long a connection may take', async () => {
    await start();
    const { status, text } = await askForLog({
      args: ['--nodeagent-timeout=20ms'],
      addresses: [{ type: 'InternalIP', address: HOLE }],
      port: 10250,
    });
    assert.deepEqual(
      [status, text],
      [500, `Get "https://${HOLE}:10250/containerLogs/default/web/main": dial tcp ${HOLE}:10250: i/o timeout`],
    );
  });

  it('--nodeagent-preferred-address-types: which address of a node is taken', async () => {
    await start();
    const addresses = [
      { type: 'ExternalIP', address: '192.0.2.3' },
      { type: 'InternalDNS', address: 'n1.inside.test' },
      { type: 'Hostname', address: 'n1.test' },
    ];
    const dialled = async (...args: string[]): Promise<readonly string[]> =>
      (await askForLog({ args, addresses, port: agent.port })).dialled;
    assert.deepEqual(await dialled(), [`192.0.2.1:${agent.port}`]);
    assert.deepEqual(await dialled('--nodeagent-preferred-address-types=InternalIP,InternalDNS,Hostname'), [
      `192.0.2.2:${agent.port}`,
    ]);
    assert.deepEqual(await dialled('--kubelet-preferred-address-types=ExternalIP'), [`192.0.2.3:${agent.port}`]);
    const { status, text } = await askForLog({
      args: ['--nodeagent-preferred-address-types=InternalIP'],
      addresses: addresses.slice(0, 1),
      port: agent.port,
    });
    assert.deepEqual([status, text], [500, 'no preferred addresses found; known addresses: [{ExternalIP 192.0.2.3}]']);
  });

  it('--nodeagent-certificate-authority: whose agents are believed', async () => {
    const authority = await TestAuthority.create();
    await start({ authority, names: ['192.0.2.1'] });
    const ask = async (pem: string, address = '192.0.2.1') =>
      askForLog({
        args: [`--nodeagent-certificate-authority=${file('ca.crt', pem)}`],
        addresses: [{ type: 'InternalIP', address }],
        port: agent.port,
      });
    assert.equal((await ask(authority.pem)).status, 200);
    assert.match(
      (await ask((await TestAuthority.create('CN=stranger')).pem)).text,
      /: x509: certificate signed by unknown authority$/,
    );
    assert.match(
      (await ask(authority.pem, '192.0.2.2')).text,
      /: x509: certificate is not valid for the name of the host$/,
    );
    assert.equal(agent.received.length, 1);
  });

  it('--nodeagent-client-certificate, --nodeagent-client-key: who agents see', async () => {
    const authority = await TestAuthority.create();
    const pair = await authority.sign({ subject: 'CN=apiserver', extendedKeyUsages: [CLIENT_AUTH] });
    await start({ clientCa: authority.pem });
    const asked = { addresses: inside, port: agent.port };
    const { status } = await askForLog({
      ...asked,
      args: [
        `--nodeagent-client-certificate=${file('client.crt', pair.pem)}`,
        `--nodeagent-client-key=${file('client.key', pair.keyPem)}`,
      ],
    });
    assert.deepEqual([status, agent.received.at(-1)!.clientSubject], [200, 'CN=apiserver']);
    const refused = await askForLog({ ...asked, args: [] });
    assert.deepEqual(
      [refused.status, refused.text],
      [401, 'the server has asked for the client to provide credentials ( pods/log web)'],
    );
  });
});
