import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { Http2Connection } from '../../security/http2-connection.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

/** Options that tell clients how to come back. */
describe('Options about clients', () => {
  let server: TestServer;
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  it('--strict-transport-security-directives is a header of every answer, refusals among them', async () => {
    server = await startTestServer({
      args: ['--strict-transport-security-directives=max-age=31536000,includeSubDomains'],
    });
    for (const [path, authorization, status] of [
      ['/version', undefined, 200],
      ['/api/v1/pods', 'Bearer wrong', 401],
      ['/nowhere', undefined, 404],
    ] as const) {
      const answer = await server.client.get(path, authorization === undefined ? {} : { authorization });
      assert.deepEqual(
        [answer.status, answer.headers['strict-transport-security']],
        [status, 'max-age=31536000; includeSubDomains'],
        path,
      );
    }
    await server.stop();
    server = await startTestServer();
    assert.equal((await server.client.get('/version')).headers['strict-transport-security'], undefined);
  });

  it('--goaway-chance sends HTTP/2 clients away without a failed request, and leaves those of HTTP/1.1 alone', async () => {
    server = await startTestServer({ args: ['--goaway-chance=0.02'] });
    const connection = await Http2Connection.open(server);
    const told: number[] = [];
    connection.session.on('goaway', (code) => told.push(code));
    const closed = new Promise<void>((resolve) => void connection.session.once('close', () => resolve()));
    // That 3,000 requests are passed over happens once in 10^26 runs.
    for (let i = 0; i < 3000 && told.length === 0; i++) {
      if (i % 10 === 0) assert.equal((await server.client.get('/version')).headers.connection, 'keep-alive');
      assert.equal((await connection.send('GET', '/version')).status, 200);
    }
    assert.equal(told[0], constants.NGHTTP2_NO_ERROR);
    await closed;
  });
});
