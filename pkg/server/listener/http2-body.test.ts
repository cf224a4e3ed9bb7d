import assert from 'node:assert/strict';
import http2, {
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { exchange, serveHttp1, serveHttp2, type Loopback } from '../loopback-testing.ts';
import type { RawRequest, RawResponse } from '../request/request-context.ts';
import { boundBody } from './http2-body.ts';

describe('bodies over HTTP/2', () => {
  let loopback: Loopback;
  let session: ClientHttp2Session;
  let onRequest: (request: RawRequest, response: RawResponse) => void;

  beforeEach(async () => {
    loopback = await serveHttp2((request, response) => onRequest(request, response));
    session = http2.connect(`http://127.0.0.1:${loopback.port}`);
  });
  afterEach(async () => {
    session.destroy();
    await loopback.close();
  });

  /** Begins a request; the body is the caller's to send. */
  function begin(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = session.request({ ':path': '/', ...headers }, { endStream: false });
    stream.on('error', () => undefined);
    stream.resume();
    return stream;
  }

  const closed = (stream: ClientHttp2Stream): Promise<number> =>
    new Promise((resolve) => void stream.once('close', () => resolve(stream.rstCode)));

  describe('boundBody', () => {
    /** Answers when the body is there. */
    const echo =
      (requestMs: number) =>
      (request: RawRequest, response: RawResponse): void => {
        boundBody(request, requestMs);
        request.resume().once('end', () => (response as http2.Http2ServerResponse).end('ok'));
      };

    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      it(`resets a ${method} whose body does not come`, async () => {
        onRequest = echo(20);
        assert.equal(await closed(begin({ ':method': method })), constants.NGHTTP2_CANCEL);
      });
    }

    it('leaves requests alone whose body came in time, or that have none', async () => {
      onRequest = (request, response) => {
        boundBody(request, 20);
        request.resume().once('end', () => setTimeout(() => (response as http2.Http2ServerResponse).end('ok'), 60));
      };
      const whole = begin({ ':method': 'POST' });
      whole.end('body');
      const none = session.request({ ':path': '/', ':method': 'DELETE' });
      none.resume();
      assert.deepEqual(await Promise.all([closed(whole), closed(none)]), [
        constants.NGHTTP2_NO_ERROR,
        constants.NGHTTP2_NO_ERROR,
      ]);
    });

    it('leaves HTTP/1.1 to node', async () => {
      const plain = await serveHttp1((request, response) => {
        boundBody(request, 1);
        setTimeout(() => (response as http2.Http2ServerResponse).end('ok'), 30);
      });
      assert.match(
        await exchange(plain.port, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n', (text) =>
          text.includes('ok'),
        ),
        /^HTTP\/1\.1 200 /,
      );
      await plain.close();
    });
  });
});
