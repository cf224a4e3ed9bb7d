import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestServer } from '../../fixtures/test-server.ts';

describe('--tracing-otlp-endpoint', () => {
  let collector: Server;
  let received: string;

  beforeEach(async () => {
    received = '';
    collector = createServer((request, response) => {
      request.on('data', (part: Buffer) => {
        received += part.toString('latin1');
      });
      request.on('end', () => response.end('{}'));
    });
    await new Promise<void>((done) => {
      collector.listen(0, '127.0.0.1', done);
    });
  });
  afterEach(() => {
    collector.closeAllConnections();
    collector.close();
  });

  it('gets a span for each request', async () => {
    const { port } = collector.address() as AddressInfo;
    const server = await startTestServer({ args: [`--tracing-otlp-endpoint=http://127.0.0.1:${port}/v1/traces`] });
    assert.equal((await server.client.get('/api/v1/namespaces/default')).status, 200);
    // What is left is sent when the server stops.
    await server.stop();
    assert.match(received, /binnacle-apiserver/);
    assert.match(received, /namespaces/);
    assert.deepEqual(server.errors, []);
  });
});
