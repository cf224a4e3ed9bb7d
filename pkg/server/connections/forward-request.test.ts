import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { exchange, contextFor, serveHttp1, serveHttp2, type Loopback } from '../loopback-testing.ts';
import type { RequestContext } from '../request/request-context.ts';
import { testConnections } from './connections-testing.ts';
import { forwardRequest, type ForwardSettings } from './forward-request.ts';
import { uploadOverHttp2 } from './http2-upload-testing.ts';
import { ScriptedServer } from './scripted-server-testing.ts';

/** More than all windows and buffers on the way hold. */
const UPLOAD_BYTES = 30_000_000;

/** The front's own answer where it cannot forward a request. */
function refuse({ response }: RequestContext, error: Error): void {
  if (response.headersSent) response.destroy();
  else (response as ServerResponse).writeHead(503).end(error.message);
}

describe('forwardRequest', () => {
  let backend: ScriptedServer;
  let front: Loopback;
  let front2: Loopback;
  let script: (socket: Socket, received: string) => void;
  let more: Partial<ForwardSettings>;
  let last: RequestContext;
  const connections = testConnections();
  const whole = (received: string): boolean => received.includes('\r\n\r\n');

  before(async () => {
    backend = await ScriptedServer.start((socket, received) => script(socket, received));
    const answer = (...[request, response]: Parameters<Parameters<typeof serveHttp1>[0]>): void => {
      last = contextFor(request, response);
      const failed = (reason: string): Error => new Error(`cannot reach it: ${reason}`);
      forwardRequest(last, connections, {
        destination: { backend: backend.backend(), path: request.url ?? '/' },
        failed,
        ...more,
      }).catch((error: Error) => refuse(last, error));
    };
    [front, front2] = await Promise.all([serveHttp1(answer), serveHttp2(answer)]);
  });
  beforeEach(() => {
    more = {};
    script = (socket, received) => {
      if (whole(received)) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    };
  });
  afterEach(async () => {
    await backend.until(() => backend.sockets.length === 0);
    while (connections.size > 0) await new Promise(setImmediate);
  });
  after(async () => {
    await Promise.all([front.close(), front2.close()]);
    await backend.stop();
  });

  /** Sends a request over HTTP/1.1; `feed` writes the body. */
  function send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    feed: (request: ReturnType<typeof httpRequest>) => void = (request) => void request.end(),
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { port: front.port, host: '127.0.0.1', method, path, headers, agent: false },
        resolve,
      );
      request.on('error', reject);
      feed(request);
    });
  }

  it('forwards the request, with additional headers, and the answer', async () => {
    more = { headers: { 'x-forwarded-uri': ['/there'] } };
    script = (socket) =>
      void socket.end(
        'HTTP/1.1 404 Not Found\r\nX-Own: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 4\r\n\r\nnone',
      );
    const response = await send('GET', '/a%2Fb?c=%20&c', { authorization: 'Bearer secret', 'x-a': 'b' });
    assert.deepEqual(
      [
        response.statusCode,
        response.headers['x-own'],
        response.headers['set-cookie'],
        response.headers['audit-id'],
        await text(response),
      ],
      [404, '1', ['a', 'b'], 'the-audit-id', 'none'],
    );
    const received = backend.received.at(-1)!;
    assert.match(received, /^GET \/a%2Fb\?c=%20&c HTTP\/1\.1\r\n/);
    assert.match(received, /\r\nx-a: b\r\n/);
    assert.match(received, /\r\nx-forwarded-uri: \/there\r\n/);
    assert.doesNotMatch(received, /secret/);
    assert.deepEqual([last.status, last.responseBytes], [404, 4]);
  });

  it('changes an answer by a function', async () => {
    more = { change: (answer) => ({ ...answer, status: 202, headers: { 'x-other': ['v'] } }) };
    const response = await send('GET', '/');
    assert.deepEqual(
      [response.statusCode, response.headers['x-other'], response.headers['content-length'], await text(response)],
      [202, 'v', undefined, 'ok'],
    );
  });

  it('follows no redirect', async () => {
    script = (socket) =>
      void socket.end(
        `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${backend.port}/elsewhere\r\nContent-Length: 0\r\n\r\n`,
      );
    const before = backend.received.length;
    const response = await send('GET', '/');
    assert.deepEqual(
      [response.statusCode, response.headers.location],
      [302, `http://127.0.0.1:${backend.port}/elsewhere`],
    );
    assert.equal(backend.received.length, before + 1);
  });

  it('streams a body', async () => {
    script = (socket, received) =>
      void (received.endsWith('0\r\n\r\n') && socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const response = await send('POST', '/', { 'transfer-encoding': 'chunked' }, (request) => {
      request.write('one');
      void backend.until(() => backend.received.at(-1)!.endsWith('3\r\none\r\n')).then(() => request.end('two'));
    });
    assert.equal(response.statusCode, 200);
    script = (socket, received) =>
      void (received.endsWith('body') && socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    assert.equal(
      (
        await send(
          'DELETE',
          '/',
          { 'content-length': '4', connection: 'content-length' },
          (request) => void request.end('body'),
        )
      ).statusCode,
      200,
    );
    assert.match(backend.received.at(-1)!, /\r\ncontent-length: 4\r\n/);
  });

  it('serves HTTP/2 as well, with and without a body', async () => {
    script = (socket, received) =>
      void (
        /^GET [^]*\r\n\r\n$|0\r\n\r\n$/.test(received) &&
        socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok')
      );
    const session = http2.connect(`http://127.0.0.1:${front2.port}`);
    try {
      for (const method of ['GET', 'PUT']) {
        const stream = session.request({ ':method': method, ':path': '/two' }, { endStream: method === 'GET' });
        if (method === 'PUT') stream.end('body');
        const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
        assert.deepEqual([headers[':status'], await text(stream)], [200, 'ok']);
        assert.match(
          backend.received.at(-1)!,
          new RegExp(`^${method} /two HTTP/1\\.1\r\nhost: 127\\.0\\.0\\.1:${front2.port}\r\n`),
        );
      }
      assert.match(backend.received.at(-1)!, /\r\n\r\n4\r\nbody\r\n0\r\n\r\n$/);
    } finally {
      session.destroy();
    }
  });

  it('reports that the backend does not answer', async () => {
    more = { destination: { backend: backend.backend({ port: 1 }), path: '/' } };
    assert.equal(
      await text(await send('PUT', '/', {}, (request) => void request.end('x'.repeat(100_000)))),
      'cannot reach it: dial tcp 127.0.0.1:1: connect: connection refused',
    );
    more = {};
    script = (socket) => socket.destroy();
    assert.equal(await text(await send('GET', '/')), 'cannot reach it: EOF');
  });

  it('breaks off an answer that breaks off', async () => {
    script = (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
    await assert.rejects(text(await send('GET', '/')), { code: 'ECONNRESET' });
    script = (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', () => socket.destroy());
    await assert.rejects(text(await send('GET', '/')), { code: 'ECONNRESET' });
  });

  it('disconnects from a backend whose client has left, before and after it answered', async () => {
    for (const answer of ['', 'HTTP/1.1 200 OK\r\n\r\nsome']) {
      script = (socket) => void (answer !== '' && socket.write(answer));
      const client = connect(front.port, '127.0.0.1', () => void client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
      client.on('error', () => undefined);
      await backend.until(() => backend.sockets.length === 1 && whole(backend.received.at(-1)!));
      if (answer !== '') await once(client, 'data');
      client.destroy();
      await backend.until(() => backend.sockets.length === 0);
    }
  });

  it('reads from the backend no faster than the client does', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    let sent = 0;
    script = (socket) => {
      const more = (): void => {
        while (socket.write(chunk) && !socket.destroyed) sent += chunk.length;
      };
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.on('drain', more);
      more();
    };
    const response = await send('GET', '/');
    // A client that reads nothing: the bytes in flight fit into the buffers between here and there.
    const settled = async (): Promise<number> => {
      for (let before = -1; before !== sent;) {
        before = sent;
        for (let i = 0; i < 50; i++) await new Promise(setImmediate);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return sent;
    };
    assert.ok((await settled()) < 64 * 1024 * 1024);
    assert.ok(last.responseBytes < 16 * 1024 * 1024, String(last.responseBytes));
    response.destroy();
  });

  it('reads on behind a body that the backend did not read', async () => {
    script = (socket, received) =>
      void (
        whole(received) &&
        socket.end('HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\n\r\n', () => socket.destroy())
      );
    const body = 'x'.repeat(4 * 1024 * 1024);
    const both = `PUT /large HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}GET /next HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answers = await exchange(front.port, both, (received) => received.split('HTTP/1.1 ').length > 2);
    assert.equal(answers.split('HTTP/1.1 ').length, 3, answers);
    assert.match(backend.received.at(-1)!, /^GET \/next /);
  });

  it('stops a client over HTTP/2 when it has the answer, where the backend answers early', async () => {
    for (const body of ['', 'too large']) {
      script = (socket) =>
        void socket.write(`HTTP/1.1 413 Payload Too Large\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () =>
          socket.pause(),
        );
      const { frames, leftBytes, ...received } = await uploadOverHttp2(front2.port, '/large', UPLOAD_BYTES);
      backend.sockets.forEach((socket) => socket.resume());
      assert.deepEqual([received.body, frames.at(-2), frames.at(-1)], [body, 'DATA+END', 'RST 0']);
      assert.ok(leftBytes > 0);
    }
  });

  it('reports that the backend does not answer to a client that still sends over HTTP/2', async () => {
    const refused = async (reason: string): Promise<void> => {
      const { body, frames } = await uploadOverHttp2(front2.port, '/', UPLOAD_BYTES);
      assert.deepEqual([body, frames.at(-2), frames.at(-1)], [`cannot reach it: ${reason}`, 'DATA+END', 'RST 0']);
    };
    script = (socket) => socket.destroy();
    await refused('EOF');
    more = { destination: { backend: backend.backend({ port: 1 }), path: '/' } };
    await refused('dial tcp 127.0.0.1:1: connect: connection refused');
  });
});
