import assert from 'node:assert/strict';
import { agentNetwork } from '../../fixtures/node-agent/agent-network.ts';
import { NodeAgent } from '../../fixtures/node-agent/node-agent.ts';
import { runProgram, toolPath } from '../../fixtures/run-program.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import { Http2Connection } from '../../security/http2-connection.ts';
import { head, RawConnection } from '../../security/raw-connection.ts';

const pods = '/api/v1/namespaces/default/pods';
const maps = '/api/v1/namespaces/default/configmaps';
const BYTES_PER_SECOND = 100_000;
/** Far more than any of the tests waits for. */
const TOTAL_BYTES = 2_000_000;
/** At the rate that takes most of a second; without it no time. */
const ENOUGH_BYTES = 80_000;

/** What came since it was made, and what may have come at the most: the bound holds however slow the machine is. */
class Allowance {
  bytes = 0;
  private readonly startMs = performance.now();

  add(bytes: number): void {
    this.bytes += bytes;
    const allowed = BYTES_PER_SECOND * (0.1 + (performance.now() - this.startMs) / 1000);
    assert.ok(this.bytes <= allowed, `${this.bytes} bytes came where ${Math.round(allowed)} may`);
  }
}

describe('--max-connection-bytes-per-sec', () => {
  let agent: NodeAgent;
  let server: TestServer;
  /** What has come to the agent. */
  let upload: Allowance;

  before(async () => {
    agent = await NodeAgent.start({
      websocketProtocols: ['v4.channel.k8s.io'],
      answer: (request, response) => {
        if (request.url === '/large') response.end(Buffer.alloc(TOTAL_BYTES, 'x'));
        else if (request.url === '/upload') {
          request.on('data', (part: Buffer) => upload.add(part.length));
          request.on('end', () => response.end(String(upload.bytes)));
        } else return false;
        return true;
      },
    });
    server = await startTestServer({
      network: agentNetwork(),
      args: [`--max-connection-bytes-per-sec=${BYTES_PER_SECOND}`],
    });
    const { client } = server;
    await client.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    await client.patch('/api/v1/nodes/n1/status', 'merge', {
      status: {
        addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
        daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
      },
    });
    await client.post(pods, {
      metadata: { name: 'web' },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'i:1' }] },
    });
    agent.logs.append('default/web/main', 'x'.repeat(TOTAL_BYTES));
    for (let i = 0; i < TOTAL_BYTES / 500_000; i++)
      await client.post(maps, { metadata: { name: `m${i}` }, data: { k: 'x'.repeat(500_000) } });
  });
  after(async () => {
    await server.stop();
    await agent.stop();
    assert.deepEqual(server.errors, []);
  });

  for (const [what, path] of [
    ['logs', `${pods}/web/log`],
    ['answers through a proxy', '/api/v1/nodes/n1/proxy/large'],
    ['watches', `${maps}?watch=true`],
  ] as const) {
    it(`bounds ${what}, and nothing else on their connection`, async () => {
      const connection = await Http2Connection.open(server);
      const allowance = new Allowance();
      const stream = connection.request('GET', path);
      const throttled = new Promise<void>(
        (resolve) =>
          void stream.on('data', (part: Buffer) => {
            allowance.add(part.length);
            if (allowance.bytes >= ENOUGH_BYTES) resolve();
          }),
      );
      const { status, body } = await connection.send('GET', maps);
      assert.equal(status, 200);
      assert.ok(body.length > TOTAL_BYTES);
      // The list, which is as large, was there before.
      allowance.add(0);
      await throttled;
      assert.equal((await server.client.get(maps)).status, 200);
      connection.close();
    });
  }

  it('bounds commands both ways', async () => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': 'v4.channel.k8s.io',
    };
    const connection = await RawConnection.open(server.client.url);
    const allowance = new Allowance();
    connection.write(
      head(
        'GET',
        `${pods}/web/exec?command=head&command=-c&command=${TOTAL_BYTES}&command=/dev/zero&stdout=true`,
        server.client.token,
        headers,
      ),
    );
    let seen = (await connection.until((text) => text.includes('\r\n\r\n'))).length;
    // The head of the answer is not throttled.
    await connection.until((text) => {
      allowance.add(text.length - seen);
      seen = text.length;
      return allowance.bytes >= ENOUGH_BYTES;
    });
    connection.destroy();
  });

  it('loses nothing of the commands of real kubectl', async () => {
    const stdin = Array.from({ length: 6000 }, (_, i) => `line ${i}\n`).join('');
    const { status, stdout } = await runProgram(
      toolPath('kubectl-1.32'),
      [`--kubeconfig=${server.running.kubeconfig.path}`, 'exec', '-i', 'web', '--', 'cat'],
      { stdin },
    );
    assert.equal(status, 0);
    assert.ok(stdout === stdin, `${stdout.length} of ${stdin.length} characters came back`);
  });

  it('bounds what clients send through a proxy', async () => {
    upload = new Allowance();
    const connection = await Http2Connection.open(server);
    const stream = connection.request('POST', '/api/v1/nodes/n1/proxy/upload', {}, false);
    stream.end(Buffer.alloc(ENOUGH_BYTES, 'x'));
    let text = '';
    for await (const part of stream) text += String(part);
    assert.equal(text, String(ENOUGH_BYTES));
    connection.close();
  });
});
