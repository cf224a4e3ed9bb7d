import assert from 'node:assert/strict';
import https from 'node:https';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';
import { answerOf, Http2Connection, type Http2Answer } from './http2-connection.ts';
import { head, RawConnection } from './raw-connection.ts';

const path = '/api/v1/namespaces/default/configmaps';
const BODY_BYTES = 100 * 1024 * 1024;
const slab = Buffer.alloc(256 * 1024, 'x');
const tooLarge = { code: 413, reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728' };

describe('100 MB bodies', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  /** Sends on until everything is out or the server wants no more; resolves with its answer. */
  function flood(
    method: string,
    target: string,
    headers: Record<string, string>,
  ): Promise<Pick<Answer, 'status' | 'headers' | 'body' | 'json'>> {
    return new Promise((resolve, reject) => {
      const { url, token } = server.client;
      const request = https.request({
        host: url.hostname,
        port: url.port,
        method,
        path: target,
        rejectUnauthorized: false,
        agent: false,
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      let answered = false;
      request.on('response', (response) => {
        answered = true;
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(parts);
          request.destroy();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body,
            json: JSON.parse(body.toString()),
          });
        });
      });
      // Once the answer is there the server may close while we still write.
      request.on('error', (error) => {
        if (!answered) reject(error);
      });
      let left = BODY_BYTES;
      const pump = (): void => {
        while (left > 0 && !request.destroyed) {
          left -= slab.length;
          if (!request.write(slab)) {
            request.once('drain', pump);
            return;
          }
        }
        if (!request.destroyed) request.end();
      };
      pump();
    });
  }

  for (const [what, headers] of [
    ['with their length', { 'content-length': String(BODY_BYTES) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ] as const) {
    it(`are refused ${what}`, () =>
      whileServing(server, async () => {
        const before = process.memoryUsage().rss;
        for (const type of ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])
          expectRefusal(await flood('POST', path, { ...headers, 'content-type': type }), tooLarge);
        expectRefusal(await flood('PUT', `${path}/x`, headers), tooLarge);
        for (const type of ['json-patch', 'merge-patch', 'strategic-merge-patch'])
          expectRefusal(
            await flood('PATCH', `${path}/x`, { ...headers, 'content-type': `application/${type}+json` }),
            tooLarge,
          );
        expectRefusal(await flood('DELETE', `${path}/x`, { ...headers, 'content-type': 'application/json' }), tooLarge);
        const grownBytes = process.memoryUsage().rss - before;
        assert.ok(grownBytes < BODY_BYTES, `memory grew by ${grownBytes} bytes`);
      }));
  }

  it('are refused over HTTP/2', () =>
    whileServing(server, async () => {
      for (const headers of [{ 'content-length': String(BODY_BYTES) }, {}]) {
        const connection = await Http2Connection.open(server);
        const stream = connection.request('POST', path, { 'content-type': 'application/json', ...headers }, false);
        const answer = answerOf(stream);
        let left = BODY_BYTES;
        const pump = (): void => {
          while (left > 0 && !stream.destroyed && stream.writable) {
            left -= slab.length;
            if (!stream.write(slab)) {
              stream.once('drain', pump);
              return;
            }
          }
        };
        pump();
        expectRefusal((await answer) satisfies Http2Answer, tooLarge);
        // The connection goes on with other streams.
        assert.equal((await connection.send('GET', '/version')).status, 200);
        connection.close();
      }
    }));

  it('of reads are not read', () =>
    whileServing(server, async () => {
      const connection = await RawConnection.open(server.client.url);
      connection.write(head('GET', path, server.client.token, { 'content-length': String(BODY_BYTES) }));
      connection.write(slab);
      const answer = await connection.answer();
      assert.equal(answer.status, 200);
      connection.destroy();
    }));

  it('unauthenticated are answered with 401', () =>
    whileServing(server, async () => {
      expectRefusal(
        await flood('POST', path, { 'content-length': String(BODY_BYTES), authorization: 'Bearer wrong' }),
        { code: 401, reason: 'Unauthorized', message: 'Unauthorized' },
      );
    }));

  it('leave room for what is allowed', () =>
    whileServing(server, async () => {
      const value = 'x'.repeat(3 * 1024 * 1024 - 100);
      const answer = await server.client.post(`${path}?dryRun=All`, { metadata: { name: 'large' }, data: { value } });
      // Within the limit of bodies, but above what validation allows for the data of a ConfigMap.
      expectRefusal(answer, {
        code: 422,
        reason: 'Invalid',
        message: /Too long: must have at most 1048576 (bytes|characters)/,
      });
      const exact = Buffer.alloc(3 * 1024 * 1024, ' ');
      exact.write('{}');
      expectRefusal(await server.client.send('POST', path, { body: exact }), {
        code: 422,
        reason: 'Invalid',
        message: /metadata.name: Required value/,
      });
      expectRefusal(
        await server.client.send('POST', path, { body: Buffer.concat([exact, Buffer.from(' ')]) }),
        tooLarge,
      );
    }));

  it('of a million small values do not hold up others', () =>
    whileServing(server, async () => {
      const containers = `{"metadata":{"name":"many"},"spec":{"containers":[${Array.from({ length: 1_000_000 }, () => '{}').join(',')}]}}`;
      const answer = await server.client.send('POST', '/api/v1/namespaces/default/pods?dryRun=All', {
        body: containers,
      });
      assert.ok(answer.status === 400 || answer.status === 413 || answer.status === 422, `${answer.status}`);
      assert.equal(answer.json.kind, 'Status');
      assert.ok(answer.body.length < 4 * 1024 * 1024, `${answer.body.length} bytes`);
    }));
});
