import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { holdBackRecords } from './hold-back-records.ts';
import { RecordClient } from './record-client-testing.ts';

/** More than the system buffers for a client that reads nothing. */
const LARGE = Buffer.alloc(12 * 1024 * 1024, 'x');
/** More than a connection may buffer before the runtime pauses it. */
const MEDIUM = 'y'.repeat(32 * 1024);

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: binnacle\r\n\r\n`;
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: binnacle\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('holdBackRecords', () => {
  let server: Http2SecureServer;
  let client: RecordClient;
  let broken: string[];
  let pausedRequests: number;
  let waiting: (() => void)[];

  before(async () => {
    const pair = await TestAuthority.create();
    server = createSecureServer({ cert: pair.pem, key: pair.keyPem, allowHTTP1: true });
    server.on(
      'request',
      (request, response) => void answer(request as unknown as IncomingMessage, response as unknown as ServerResponse),
    );
    server.on('clientError', (error: Error & { code?: string }, socket) => {
      broken.push(error.code ?? error.message);
      socket.destroy();
    });
    holdBackRecords(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(async () => {
    [broken, pausedRequests, waiting] = [[], 0, []];
    client = await RecordClient.open((server.address() as AddressInfo).port);
  });
  afterEach(() => client.destroy());
  after(() => new Promise((resolve) => void server.close(resolve)));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.socket.isPaused()) pausedRequests++;
    let body = '';
    for await (const part of request) body += String(part);
    if (request.url === '/wait') await new Promise<void>((resolve) => void waiting.push(resolve));
    response.end(request.url === '/large' ? LARGE : `${request.url} ${body}`);
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** The answers to `records` that reach the server while it has an answer in flight that the client does not read. */
  async function behindAnswerUnderWay(records: readonly string[], count: number): Promise<readonly string[]> {
    await client.send(get('/large'));
    await client.readFirstBytes();
    const before = pausedRequests;
    await client.send(...records);
    await until(() => pausedRequests > before || broken.length > 0);
    const [large, ...others] = await client.answers(1 + count);
    assert.deepEqual(broken, []);
    assert.ok(large?.body.equals(LARGE));
    return others.map(({ body }) => String(body));
  }

  it('reads a request whole whose bytes come in two records, split anywhere', async () => {
    const request = post('/a', '0123456789');
    for (let i = 1; i < request.length; i++) {
      assert.deepEqual(
        await behindAnswerUnderWay([request.slice(0, i), request.slice(i), get('/b')], 2),
        ['/a 0123456789', '/b '],
        `split at ${i}`,
      );
    }
  }).timeout(60_000);

  it('reads it where each byte is a record', async () => {
    assert.deepEqual(await behindAnswerUnderWay([...post('/a', '0123456789'), ...get('/b')], 2), [
      '/a 0123456789',
      '/b ',
    ]);
  });

  it('continues where nothing came behind the request', async () => {
    for (let i = 0; i < 3; i++) assert.deepEqual(await behindAnswerUnderWay([get('/a')], 1), ['/a ']);
  });

  it('reads a long body that comes later', async () => {
    const body = 'z'.repeat(300_000);
    const request = post('/a', body);
    assert.deepEqual(
      await behindAnswerUnderWay([request.slice(0, 100), request.slice(100, 20_000), request.slice(20_000)], 1),
      [`/a ${body}`],
    );
  });

  it('answers pipelined requests in order, behind answers that wait for the first', async () => {
    const bodies = [MEDIUM, MEDIUM, 'c', 'd', 'e'];
    await client.send(get('/wait'), ...bodies.map((body) => post('/x', body)));
    await until(() => waiting.length === 1 && (pausedRequests > 0 || broken.length > 0));
    await client.send(...post('/y', 'f'), ...post('/y', 'g'));
    waiting[0]!();
    const answers = await client.answers(1 + bodies.length + 2);
    assert.deepEqual(broken, []);
    assert.deepEqual(
      answers.map(({ body }) => String(body)),
      ['/wait ', ...bodies.map((body) => `/x ${body}`), '/y f', '/y g'],
    );
  });
});
