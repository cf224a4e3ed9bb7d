import assert from 'node:assert/strict';
import { createServer } from 'node:http2';
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';
import { callUnary, methodHeaders, StreamingCall } from './grpc-call.ts';
import { Http2Connection } from './http2-connection.ts';

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, message: Buffer) => void;

function frame(text: string): Buffer {
  const bytes = Buffer.from(`\0....${text}`);
  bytes.writeUInt32BE(bytes.length - 5, 1);
  return bytes;
}

function finish(stream: ServerHttp2Stream, trailers: Record<string, string>): void {
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end();
}

describe('gRPC calls', () => {
  let server: Http2Server;
  let sessions: ServerHttp2Session[];
  let connection: Http2Connection;
  let headers: Buffer;
  const serve = async (handler: Handler) => {
    sessions = [];
    server = createServer().on('session', (session) => sessions.push(session));
    server.on('stream', (stream: ServerHttp2Stream, received) => {
      stream.on('error', () => undefined).once('data', (message: Buffer) => handler(stream, received, message));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    connection = new Http2Connection(url, {});
    headers = methodHeaders(url, '/service/Method');
  };
  const call = (timeoutMs = 5000) => callUnary(connection, headers, Buffer.from('question'), timeoutMs);
  const failure = async (timeoutMs?: number) => {
    const error = await call(timeoutMs).then(
      () => assert.fail('the call succeeded'),
      (cause: unknown) => cause,
    );
    assert.ok(error instanceof EtcdCallError);
    return [error.code, error.mayHaveHappened, error.message];
  };
  afterEach(async () => {
    connection.close();
    for (const session of sessions) session.destroy();
    await new Promise((done) => server.close(done));
  });

  it('sends one message with its deadline, and resolves with the answer', async () => {
    await serve((stream, received, message) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.write(
        frame(`${received[':path']} ${received['te']} ${received['grpc-timeout']} ${message.subarray(5).toString()}`),
      );
      finish(stream, { 'grpc-status': '0' });
    });
    assert.equal((await call(1500)).toString(), '/service/Method trailers 1500m question');
  });

  it('rejects with the status and the message of the server, also when it answers with trailers alone', async () => {
    await serve((stream) =>
      stream.respond({ ':status': 200, 'grpc-status': '11', 'grpc-message': 'gone%3A 100%25' }, { endStream: true }),
    );
    assert.deepEqual(await failure(), [grpcStatus.outOfRange, false, 'gone: 100%']);
  });

  it('rejects answers that are not gRPC, or truncated', async () => {
    const answers: Handler[] = [
      (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.end(frame('half'));
      },
      (stream) => {
        stream.respond({ ':status': 200 }, { waitForTrailers: true });
        stream.write(Buffer.concat([frame('one'), frame('two')]));
        finish(stream, { 'grpc-status': '0' });
      },
    ];
    await serve((...request) => answers.shift()!(...request));
    assert.deepEqual(await failure(), [grpcStatus.unavailable, true, 'HTTP status 503']);
    assert.deepEqual(await failure(), [grpcStatus.unavailable, true, 'the answer was cut off']);
    assert.deepEqual(await failure(), [grpcStatus.unknown, true, 'the answer is no single uncompressed message']);
  });

  it('does not take a compressed message for a plain one', async () => {
    await serve((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.write(Buffer.concat([Buffer.from([1]), frame('zipped').subarray(1)]));
      finish(stream, { 'grpc-status': '0' });
    });
    const error = await call().then(
      () => assert.fail('the call succeeded'),
      (cause: unknown) => cause as EtcdCallError,
    );
    assert.deepEqual([error.code, error.mayHaveHappened, error.notUnderstood], [grpcStatus.unknown, true, true]);
    const end = await listen(() => assert.fail('a message came'));
    assert.deepEqual([end.message, end.notUnderstood], ['an answer cannot be read: it is compressed', true]);
  });

  it('gives up at the deadline, and resets the stream', async () => {
    let onCancelled: () => void;
    const cancelled = new Promise<void>((resolve) => (onCancelled = resolve));
    await serve((stream) => stream.on('close', () => onCancelled()));
    assert.deepEqual(await failure(100), [grpcStatus.deadlineExceeded, true, 'no answer within 100 ms']);
    await cancelled;
  });

  const listen = (onMessage: (text: string) => void) =>
    new Promise<EtcdCallError>((onEnd) => {
      new StreamingCall(connection, headers, Buffer.from('question'), {
        onMessage: (message) => onMessage(message.toString()),
        onEnd,
      });
    });

  it('reads the messages of a stream however they are cut, until the server ends it', async () => {
    const texts = ['one', '', 'three', 'x'.repeat(40_000)];
    await serve(async (stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      const bytes = Buffer.concat(texts.map(frame));
      for (let at = 0; at < bytes.length; at += at < 30 ? 1 : 9999) {
        stream.write(bytes.subarray(at, at < 30 ? at + 1 : at + 9999));
        await sleep(1);
      }
      finish(stream, { 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' });
    });
    const read: string[] = [];
    const end = await listen((text) => read.push(text));
    assert.deepEqual(read, texts);
    assert.deepEqual([end.code, end.message], [grpcStatus.unavailable, 'etcdserver: no leader']);
  });

  it('ends a stream when its listener cannot read a message', async () => {
    await serve((stream) => {
      stream.respond({ ':status': 200 });
      stream.write(Buffer.concat([frame('one'), frame('two')]));
    });
    const read: string[] = [];
    const end = await listen((text) => {
      read.push(text);
      throw new Error('nonsense');
    });
    assert.deepEqual(read, ['one']);
    assert.deepEqual([end.code, end.message], [grpcStatus.unknown, 'an answer cannot be read: nonsense']);
  });
});
