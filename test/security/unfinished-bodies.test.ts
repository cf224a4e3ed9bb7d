/**
 * Bodies that are not wanted, or that never end: an unauthorized client has nothing read, and an authorized one holds a
 * bounded amount.
 */
import assert from 'node:assert/strict';
import { sendUnfinishedBodies } from '../attack/unfinished-bodies.ts';
import { memoryBytes } from '../bench/process-usage.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { ApiClient } from '../fixtures/api-client.ts';
import { whileServing } from './bystander.ts';
import { answerOf, Http2Connection } from './http2-connection.ts';
import { head, RawConnection } from './raw-connection.ts';

const path = '/api/v1/namespaces/default/configmaps';
const MEGABYTE = 1024 * 1024;
const BODY_BYTES = 3 * MEGABYTE;

describe('unfinished bodies', () => {
  describe('a thousand at a time on one connection', () => {
    let server: BinnacleProcess;
    let client: ApiClient;

    before(async () => {
      server = await startBinnacle();
      client = new ApiClient(server.url, server.token);
    });
    after(async () => {
      client.close();
      await server.stop();
    });

    for (const [who, token, status] of [
      ['without credentials', undefined, 403],
      ['with wrong ones', 'wrong', 401],
    ] as const) {
      it(`${who} are refused unread`, async () => {
        const before = memoryBytes(server.pid).resident;
        const { answered, unanswered } = await sendUnfinishedBodies({
          url: server.url,
          ...(token === undefined ? {} : { token }),
          streams: 1000,
          bodyBytes: BODY_BYTES,
          holdMs: 30_000,
        });
        assert.deepEqual([[...answered], unanswered], [[[status, 1000]], 0]);
        const grown = memoryBytes(server.pid).resident - before;
        // A hundredth of what was offered; what is measured is a few.
        assert.ok(grown < 30 * MEGABYTE, `memory grew by ${grown} bytes`);
      });
    }

    it('of an authorized user hold a bounded amount, and no place of writers on other connections', async () => {
      const before = memoryBytes(server.pid).resident;
      const attack = sendUnfinishedBodies({
        url: server.url,
        token: server.token,
        streams: 1000,
        bodyBytes: BODY_BYTES,
        holdMs: 3000,
      });
      let over = false;
      void attack.then(() => {
        over = true;
      });
      let written = 0;
      while (!over) assert.equal((await client.post(path, { metadata: { name: `beside-${written++}` } })).status, 201);
      await attack;
      assert.ok(written > 1);
      const grown = memoryBytes(server.pid).resident - before;
      assert.ok(grown < 400 * MEGABYTE, `memory grew by ${grown} bytes`);
    });
  });

  describe('of unauthorized users', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer();
    });
    after(() => server.stop());

    for (const [who, token, status] of [
      ['nobody', undefined, 403],
      ['a stranger', 'wrong', 401],
    ] as const) {
      it(`are not waited for: ${who}`, () =>
        whileServing(server, async () => {
          const connection = await RawConnection.open(server.client.url);
          const asked = head('POST', path, token ?? '', {
            'content-length': '1000',
            'content-type': 'application/json',
          });
          connection.write(token === undefined ? asked.replace(/authorization: .*\r\n/, '') : asked);
          assert.equal((await connection.answer()).status, status);
          connection.destroy();
          const over2 = await Http2Connection.open(server);
          const stream = over2.request(
            'POST',
            path,
            { authorization: token === undefined ? '' : `Bearer ${token}`, 'content-length': '1000' },
            false,
          );
          assert.equal((await answerOf(stream)).status, status);
          over2.close();
        }));
    }

    it('are not asked for with 100 Continue', () =>
      whileServing(server, async () => {
        const connection = await RawConnection.open(server.client.url);
        connection.write(head('POST', path, 'wrong', { 'content-length': '1000', expect: '100-continue' }));
        assert.match(await connection.untilClosed(), /^HTTP\/1\.1 401 [^]*connection: close/i);
      }));

    it('are asked for where they are wanted, over HTTP/2 as well', () =>
      whileServing(server, async () => {
        const connection = await Http2Connection.open(server);
        const stream = connection.request(
          'POST',
          `${path}?dryRun=All`,
          { expect: '100-continue', 'content-type': 'application/json' },
          false,
        );
        await new Promise<void>((resolve) => void stream.once('continue', resolve));
        stream.end(JSON.stringify({ metadata: { name: 'expected' } }));
        assert.equal((await answerOf(stream)).status, 201);
        connection.close();
      }));
  });

  it('have few streams until one of the connection is authenticated', async () => {
    const server = await startTestServer();
    try {
      const connection = await Http2Connection.open(server);
      const settings: number[] = [];
      connection.session.on(
        'remoteSettings',
        ({ maxConcurrentStreams = 0 }) => void settings.push(maxConcurrentStreams),
      );
      await answerOf(connection.request('GET', '/healthz', { authorization: '' }));
      assert.deepEqual(connection.session.remoteSettings.maxConcurrentStreams, 100);
      assert.equal((await connection.send('GET', '/version')).status, 200);
      while (settings.at(-1) !== 1000)
        await new Promise((resolve) => void connection.session.once('remoteSettings', resolve));
      const many = await Promise.all(Array.from({ length: 900 }, () => connection.send('GET', '/version')));
      assert.ok(many.every(({ status }) => status === 200));
      connection.close();
    } finally {
      await server.stop();
    }
  });
});
