import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { DialError } from './dial-error.ts';
import { exchange, type BackendRequest } from './exchange.ts';
import { ScriptedServer } from './scripted-server-testing.ts';

describe('exchange', () => {
  let server: ScriptedServer;
  let answer: (socket: Socket) => void;

  before(async () => {
    server = await ScriptedServer.start((socket, received) => {
      if (received.includes('\r\n\r\n')) answer(socket);
    });
  });
  after(() => server.stop());

  async function send(
    more: Partial<BackendRequest> = {},
  ): Promise<{ socket: Socket; answered: ReturnType<typeof exchange> }> {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return {
      socket,
      answered: exchange(socket, {
        method: 'GET',
        path: '/a?b',
        headers: { host: ['h'], 'x-two': ['1', '2'] },
        ...more,
      }),
    };
  }

  /** The result of a request when the server answers this. */
  async function problem(says: (socket: Socket) => void): Promise<string> {
    answer = says;
    const { socket, answered } = await send();
    const error = await answered.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof DialError, String(error));
    if (!socket.destroyed) await once(socket, 'close');
    return error.message;
  }

  it('sends the request exactly, adding no host, and returns the answer as it comes', async () => {
    answer = (socket) => void socket.write('HTTP/1.1 201 Created\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 5\r\n\r\nhe');
    const { answered } = await send({ method: 'OPTIONS' });
    const { response, upgradeHead } = await answered;
    assert.deepEqual(
      [response.statusCode, response.rawHeaders.slice(0, 4), upgradeHead],
      [201, ['X-A', '1', 'x-a', '2'], undefined],
    );
    assert.match(server.received.at(-1)!, /^OPTIONS \/a\?b HTTP\/1\.1\r\nhost: h\r\nx-two: 1\r\nx-two: 2\r\n/);
    server.sockets.at(-1)!.write('llo');
    assert.equal(await text(response), 'hello');
  });

  it('streams a body, in chunks where it has no length', async () => {
    answer = () => undefined;
    const body = new PassThrough();
    const { answered } = await send({ method: 'PUT', headers: { 'transfer-encoding': ['chunked'] }, body });
    body.write('one');
    await server.until(() => server.received.at(-1)!.endsWith('3\r\none\r\n'));
    answer = (socket) =>
      void (
        server.received.at(-1)!.endsWith('0\r\n\r\n') && socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      );
    body.end('two');
    assert.equal((await answered).response.statusCode, 200);
    const { answered: measured } = await send({
      method: 'DELETE',
      headers: { 'content-length': ['4'] },
      body: Readable.from([Buffer.from('body')]),
    });
    await server.until(() => server.received.at(-1)!.endsWith('\r\n\r\nbody'));
    server.sockets.at(-1)!.end('HTTP/1.1 204 No Content\r\n\r\n');
    assert.equal((await measured).response.statusCode, 204);
  });

  it('returns the bytes behind an answer that switches protocols', async () => {
    answer = (socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nfirst');
    const { answered } = await send({ headers: { connection: ['Upgrade'], upgrade: ['echo'] } });
    const { response, upgradeHead } = await answered;
    assert.deepEqual([response.headers.upgrade, upgradeHead?.toString()], ['echo', 'first']);
  });

  it('refuses a switch of protocols that was not requested', async () => {
    assert.equal(
      await problem(
        (socket) =>
          void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'),
      ),
      'backend tried to switch protocol "echo" when "" was requested',
    );
  });

  it('skips informational answers', async () => {
    answer = (socket) =>
      void socket.end(
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      );
    assert.equal((await (await send()).answered).response.statusCode, 200);
  });

  it('reports errors in known words, and releases the connection', async () => {
    assert.equal(await problem((socket) => socket.destroy()), 'EOF');
    assert.equal(await problem((socket) => void socket.end('HTTP/1.1 200')), 'EOF');
    assert.equal(
      await problem((socket) => void socket.write('HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n')),
      'malformed HTTP status code "99"',
    );
    assert.equal(
      await problem((socket) => void socket.write('HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n')),
      'malformed HTTP status code "600"',
    );
    assert.equal(
      await problem((socket) => void socket.write('SSH-2.0-x\r\n\r\n')),
      'net/http: malformed HTTP response',
    );
    assert.equal(
      await problem(
        (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'),
      ),
      'net/http: malformed HTTP response',
    );
    assert.equal(
      await problem(
        (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${`X-Large: ${'x'.repeat(60_000)}\r\n`.repeat(6)}\r\n`),
      ),
      'net/http: malformed HTTP response',
    );
  });

  it('refuses invalid requests', async () => {
    for (const more of [
      { path: '/a b' },
      { path: '/a\r\nX: y' },
      { headers: { 'x-a': ['a\r\nX: y'] } },
      { method: 'GET\r\n' },
    ]) {
      const before = server.received.length;
      const { socket, answered } = await send(more);
      await assert.rejects(answered, (error) => error instanceof StatusError && error.code === 400);
      assert.ok(socket.destroyed);
      assert.ok(server.received.slice(before).every((bytes) => bytes === ''));
    }
  });
});
