import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { AuditedRequest } from '../../audit/audited-request.ts';
import { contextFor, exchange, serveHttp1, serveHttp2, type Loopback } from '../loopback-testing.ts';
import type { RequestContext } from '../request/request-context.ts';
import { sendAnswer, type ForwardedAnswer } from './send-answer.ts';

/** A backend's answer that the test writes; complete after its end. */
class Source extends PassThrough {
  get complete(): boolean {
    return this.writableEnded;
  }
}

describe('sendAnswer', () => {
  let front: Loopback;
  let front2: Loopback;
  let handle: (context: RequestContext) => Promise<void>;
  const answerOf = (source: Source, more: Partial<ForwardedAnswer> = {}): ForwardedAnswer => ({
    status: 206,
    headers: { 'x-own': ['a', 'b'] },
    body: source,
    source: source as unknown as IncomingMessage,
    ...more,
  });
  const request = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';

  before(async () => {
    const answer = (...[raw, response]: Parameters<Parameters<typeof serveHttp1>[0]>): void =>
      void handle(contextFor(raw, response));
    [front, front2] = await Promise.all([serveHttp1(answer), serveHttp2(answer)]);
  });
  after(() => Promise.all([front.close(), front2.close()]));

  it('forwards status, headers and body, and releases the backend', async () => {
    const source = new Source();
    let status = 0;
    handle = async (context) => {
      await sendAnswer(context, answerOf(source));
      status = context.status;
    };
    source.end('body');
    const received = await exchange(front.port, request);
    assert.match(
      received,
      /^HTTP\/1\.1 206 [^]*audit-id: the-audit-id\r\ncache-control: no-cache, private\r\nx-own: a\r\nx-own: b\r\n[^]*\r\n\r\n4\r\nbody\r\n0\r\n\r\n$/,
    );
    assert.deepEqual([status, source.destroyed], [206, true]);
  });

  it('adds what the backend says of caches to its own word, and leaves the name of the request to itself', async () => {
    const source = new Source().end();
    handle = (context) =>
      sendAnswer(
        context,
        answerOf(source as Source, {
          headers: { 'audit-id': ['forged'], 'cache-control': ['public'], 'content-length': ['0'] },
        }),
      );
    const received = await exchange(front.port, request);
    assert.match(
      received,
      /audit-id: the-audit-id\r\ncache-control: no-cache, private\r\ncache-control: public\r\ncontent-length: 0\r\n/,
    );
    assert.ok(!received.includes('forged'));
  });

  it('joins the Vary headers of backend and server', async () => {
    for (const [headers, vary] of [
      [{ vary: ['Accept', 'Cookie'] }, 'Origin, Accept, Cookie'],
      [{}, 'Origin'],
    ] as const) {
      const source = new Source().end();
      handle = (context) => {
        context.response.setHeader('vary', 'Origin');
        return sendAnswer(context, answerOf(source as Source, { headers: headers as ForwardedAnswer['headers'] }));
      };
      assert.deepEqual((await exchange(front.port, request)).match(/^vary: .*(?=\r)/gim), [`vary: ${vary}`]);
    }
  });

  /** Headers of an answer over HTTP/2. */
  async function http2Headers(more: Partial<ForwardedAnswer>): Promise<http2.IncomingHttpHeaders> {
    const source = new Source().end();
    handle = (context) => sendAnswer(context, answerOf(source as Source, more));
    const session = http2.connect(`http://127.0.0.1:${front2.port}`);
    try {
      const stream = session.request({ ':path': '/' });
      const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
      await text(stream);
      return headers;
    } finally {
      session.destroy();
    }
  }

  it('says over HTTP/2 in one line what a backend says in several', async () => {
    const headers = await http2Headers({
      headers: {
        location: ['/a', '/b'],
        'content-type': ['a/b', 'c/d'],
        'user-agent': ['1', '2'],
        'set-cookie': ['a=1', 'b=2'],
        'x-own': ['a', 'b'],
      },
    });
    assert.deepEqual(
      [headers.location, headers['content-type'], headers['user-agent'], headers['set-cookie'], headers['x-own']],
      ['/a, /b', 'a/b, c/d', '1, 2', ['a=1', 'b=2'], 'a, b'],
    );
  });

  it('sends no length for a body that cannot exist', async () => {
    for (const status of [204, 205]) {
      const headers = await http2Headers({ status, headers: { 'content-length': ['2'], 'x-own': ['v'] } });
      assert.deepEqual([headers[':status'], headers['content-length'], headers['x-own']], [status, undefined, 'v']);
    }
    assert.equal((await http2Headers({ status: 304, headers: { 'content-length': ['2'] } }))['content-length'], '2');
  });

  it('sends each piece when it comes', async () => {
    const source = new Source();
    handle = (context) => sendAnswer(context, answerOf(source));
    source.write('one');
    await exchange(front.port, request, (received) => {
      if (received.endsWith('3\r\none\r\n')) source.end('two');
      return received.endsWith('3\r\ntwo\r\n0\r\n\r\n');
    });
  });

  it('breaks off with the backend, over HTTP/2 as well', async () => {
    const broken = (): Source => {
      const source = new Source();
      source.write('half');
      return source;
    };
    let source = broken();
    handle = (context) => sendAnswer(context, answerOf(source));
    const received = await exchange(front.port, request, (so_far) => {
      if (so_far.endsWith('half\r\n')) source.destroy();
      return false;
    });
    assert.ok(received.endsWith('4\r\nhalf\r\n'), received);
    source = broken();
    const session = http2.connect(`http://127.0.0.1:${front2.port}`);
    const stream = session.request({ ':path': '/' });
    stream.once('data', () => source.destroy());
    await assert.rejects(text(stream), (error: NodeJS.ErrnoException) =>
      /^(ERR_HTTP2_STREAM_ERROR|ERR_STREAM_PREMATURE_CLOSE|ABORT_ERR)$/.test(error.code ?? ''),
    );
    session.destroy();
  });

  it('waits for the audit first, and sends nothing to a client that left meanwhile', async () => {
    const source = new Source();
    const order: string[] = [];
    let over!: () => void;
    const done = new Promise<void>((resolve) => {
      over = resolve;
    });
    handle = async (context) => {
      context.audit = {
        async answering(status: number) {
          order.push(`audit of ${status}`);
          const closed = once(context.response, 'close');
          context.response.destroy();
          await closed;
        },
      } as unknown as AuditedRequest;
      await sendAnswer(context, answerOf(source));
      over();
    };
    assert.equal(await exchange(front.port, request), '');
    await done;
    assert.deepEqual([order, source.destroyed], [['audit of 206'], true]);
  });
});
