import assert from 'node:assert/strict';
import { connect } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** Clients of HTTP/1.0 know no chunks: a body without a length ends with its connection. */
describe('HTTP/1.0', () => {
  const maps = '/api/v1/namespaces/default/configmaps';
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ args: ['--feature-gates=APIResponseCompression=true'] });
    for (let i = 0; i < 20; i++)
      await server.client.post(maps, { metadata: { name: `m${i}` }, data: { text: 'x'.repeat(10_000) } });
  });
  after(() => server.stop());

  /** Everything until the server closes the connection. */
  function get(path: string, headers: readonly string[] = []): Promise<{ head: string; body: Buffer }> {
    const { hostname, port } = new URL(server.client.url);
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname,
        port: Number(port),
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      });
      socket.write(
        [`GET ${path} HTTP/1.0`, `Authorization: Bearer ${server.client.token}`, ...headers, '', ''].join('\r\n'),
      );
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part));
      socket.on('error', reject);
      socket.on('close', () => {
        const all = Buffer.concat(parts);
        const end = all.indexOf('\r\n\r\n');
        resolve({ head: all.subarray(0, end).toString('latin1').toLowerCase(), body: all.subarray(end + 4) });
      });
    });
  }

  for (const headers of [[], ['Connection: keep-alive']]) {
    it(`gets the events of a watch one after another: ${headers.join() || 'no headers'}`, async () => {
      const watching = get(
        `${maps}?watch=true&resourceVersion=0&timeoutSeconds=2&fieldSelector=metadata.name=m1`,
        headers,
      );
      await new Promise((resolve) => setTimeout(resolve, 300));
      await server.client.patch(`${maps}/m1`, 'merge', { data: { text: 'changed' } });
      const { head, body } = await watching;
      assert.match(head, /^http\/1\.1 200 /);
      assert.doesNotMatch(head, /transfer-encoding|content-length/);
      const events = body
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string } } });
      assert.deepEqual(
        events.map(({ type, object }) => [type, object.metadata.name]),
        [
          ['ADDED', 'm1'],
          ['MODIFIED', 'm1'],
        ],
      );
      await server.client.patch(`${maps}/m1`, 'merge', { data: { text: 'x' } });
    });

    it(`gets a large list, compressed or not: ${headers.join() || 'no headers'}`, async () => {
      const plain = await get(maps);
      const packed = await get(maps, ['Accept-Encoding: gzip', ...headers]);
      assert.doesNotMatch(plain.head + packed.head, /transfer-encoding/);
      assert.match(packed.head, /content-encoding: gzip/);
      assert.equal((JSON.parse(plain.body.toString()) as { items: unknown[] }).items.length, 20);
      assert.deepEqual(gunzipSync(packed.body), plain.body);
    });
  }
});
