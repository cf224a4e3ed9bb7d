import assert from 'node:assert/strict';
import { constants, createServer as createHttp2Server } from 'node:http2';
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { methodHeaders } from './grpc-call.ts';
import type { Headers } from './header-block.ts';
import { Http2Connection } from './http2-connection.ts';
import { encodeFrame, encodeNumberFrame, encodeSettings, FrameReader } from './http2-frames.ts';
import type { Frame } from './http2-frames.ts';
import type { BrokenStream, Http2Stream, StreamListener } from './http2-stream.ts';

/** Collects an answer. */
class Answer implements StreamListener {
  readonly headers: Record<string, string> = {};
  readonly ended: Promise<BrokenStream | undefined>;
  received = 0;
  #parts: Buffer[] = [];
  #resolve!: (broken: BrokenStream | undefined) => void;

  constructor() {
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
  }

  get body(): Buffer {
    return Buffer.concat(this.#parts);
  }

  onHeaders(headers: Headers): void {
    Object.assign(this.headers, Object.fromEntries(headers));
  }

  onData(data: Buffer): void {
    this.#parts.push(data);
    this.received += data.length;
  }

  onEnd(broken: BrokenStream | undefined): void {
    this.#resolve(broken);
  }
}

async function listen(server: Server | Http2Server): Promise<URL> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

describe('HTTP/2 connection', () => {
  let server: Server | Http2Server;
  let connection: Http2Connection;
  let url: URL;
  let sessions: ServerHttp2Session[];

  const open = async (
    onStream: (stream: ServerHttp2Stream) => void,
    options: Parameters<typeof createHttp2Server>[0] = {},
  ) => {
    const http2 = createHttp2Server(options, undefined).on('stream', (stream: ServerHttp2Stream) =>
      onStream(stream.on('error', () => undefined)),
    );
    http2.on('session', (session) => sessions.push(session));
    server = http2;
    url = await listen(http2);
    connection = new Http2Connection(url, {});
  };
  /** A peer that sends what the test wants, once it has received something. */
  const openRaw = async (onData: (socket: Socket) => void) => {
    server = createServer((socket) => socket.on('error', () => undefined).once('data', () => onData(socket)));
    url = await listen(server);
    connection = new Http2Connection(url, {});
  };
  const request = (answer: Answer, body: Buffer = Buffer.from('question')): Http2Stream =>
    connection.request(methodHeaders(url, '/x'), body, true, answer);
  const ask = (body?: Buffer): Answer => {
    const answer = new Answer();
    request(answer, body);
    return answer;
  };
  const echo = (stream: ServerHttp2Stream): void => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine%20\\^{}~|<>`' }));
    stream.pipe(stream);
  };

  beforeEach(() => (sessions = []));
  afterEach(async () => {
    connection.close();
    for (const session of sessions) session.destroy();
    await new Promise((done) => server.close(done));
  });

  it('sends a request and gets its answer, headers and trailers', async () => {
    await open(echo);
    const answer = ask();
    assert.equal(await answer.ended, undefined);
    assert.equal(answer.body.toString(), 'question');
    assert.deepEqual(
      [answer.headers[':status'], answer.headers['grpc-status'], answer.headers['grpc-message']],
      ['200', '0', 'fine%20\\^{}~|<>`'],
    );
  });

  it('keeps to the windows of both sides with bodies of many megabytes', async () => {
    await open(echo, { settings: { initialWindowSize: 1000 } });
    const bodies = Array.from({ length: 12 }, (_, i) => Buffer.alloc(9_000_000, `${i}.`));
    const answers = bodies.map((body) => ask(body));
    for (const [i, answer] of answers.entries()) {
      assert.equal(await answer.ended, undefined);
      assert.ok(answer.body.equals(bodies[i]!));
    }
  }).timeout(30_000);

  it('holds the peer back at its window while an answer is paused', async () => {
    const body = Buffer.alloc(30_000_000, 'a large answer');
    await open((stream) => {
      stream.respond({ ':status': 200 });
      stream.end(body);
    });
    const answer = new Answer();
    const stream = request(answer);
    connection.pause(stream);
    for (let before = -1; before < answer.received || answer.received === 0; await sleep(50)) before = answer.received;
    assert.ok(answer.received <= 8 * 1024 * 1024, `${answer.received} bytes came`);
    assert.equal(await Promise.race([answer.ended, 'open']), 'open');
    connection.resume(stream);
    assert.equal(await answer.ended, undefined);
    assert.ok(answer.body.equals(body));
  }).timeout(30_000);

  it('breaks off when the peer exceeds the window of a paused answer', async () => {
    await openRaw((socket) => {
      socket.write(encodeSettings([]));
      socket.once('data', () =>
        socket.write(Buffer.concat(Array.from({ length: 520 }, () => encodeFrame(0, 0, 1, Buffer.alloc(16_384))))),
      );
    });
    const answer = new Answer();
    connection.pause(request(answer));
    assert.match((await answer.ended)!.message, /more data than the window takes/);
  });

  it('reads padded frames and header blocks in several frames', async () => {
    const long = 'x'.repeat(40_000);
    await open(
      (stream) => {
        stream.respond({ ':status': 200, long });
        stream.end('padded');
      },
      { paddingStrategy: constants.PADDING_STRATEGY_MAX },
    );
    const answer = ask();
    assert.equal(await answer.ended, undefined);
    assert.deepEqual([answer.headers['long'], answer.body.toString()], [long, 'padded']);
  });

  it('opens no more streams at a time than the peer allows', async () => {
    let running = 0;
    let most = 0;
    await open(
      (stream) => {
        most = Math.max(most, ++running);
        setTimeout(() => {
          running--;
          echo(stream);
        }, 5);
      },
      { settings: { maxConcurrentStreams: 3 } },
    );
    const ends = await Promise.all(Array.from({ length: 20 }, () => ask().ended));
    assert.deepEqual(
      ends,
      Array.from({ length: 20 }, () => undefined),
    );
    assert.equal(most, 3);
  });

  it('distinguishes a refused stream from one that was reset, with any code', async () => {
    const codes = Array.from({ length: 14 }, (_, code) => code);
    const left = [...codes];
    await open((stream) => stream.close(left.shift()));
    for (const code of codes)
      assert.deepEqual([(await ask().ended)?.sent, code], [code !== constants.NGHTTP2_REFUSED_STREAM, code]);
    assert.equal(connection.isUsable, true);
  });

  it('ignores the refusal of a request that has been answered in part', async () => {
    const begun = encodeFrame(1, 4, 1, Buffer.from([0x88]));
    const goaway = encodeFrame(7, 0, 0, Buffer.alloc(8));
    for (const refusal of [encodeNumberFrame(3, 1, constants.NGHTTP2_REFUSED_STREAM), goaway]) {
      await openRaw((socket) => {
        socket.write(encodeSettings([]));
        socket.once('data', () => socket.write(Buffer.concat([begun, refusal])));
      });
      assert.equal((await ask().ended)?.sent, true);
      connection.close();
      await new Promise((done) => server.close(done));
    }
  });

  it('waits at empty windows, and sends what each update allows', async () => {
    const received = new FrameReader();
    let body = 0;
    await openRaw((socket) => {
      socket.write(encodeSettings([[4, 0]]));
      const widen = () => socket.write(encodeNumberFrame(8, 1, 7));
      socket.on('data', (chunk: Buffer) =>
        received.push(chunk, ({ type, flags, payload }) => {
          if (type === 1) widen();
          if (type !== 0) return;
          body += payload.length;
          if (flags & 1)
            socket.write(
              Buffer.concat([encodeFrame(1, 4, 1, Buffer.from([0x88])), encodeFrame(1, 5, 1, Buffer.from([0x88]))]),
            );
          else widen();
        }),
      );
    });
    assert.equal(await ask(Buffer.alloc(100)).ended, undefined);
    assert.equal(body, 100);
  });

  it('does not count a request as sent that the peer read only in part', async () => {
    await openRaw((socket) => {
      socket.write(encodeSettings([[4, 10]]));
      socket.once('data', () => socket.destroy());
    });
    assert.equal((await ask(Buffer.alloc(100)).ended)?.sent, false);
  });

  it('continues while the peer changes the size of its header table', async () => {
    await open(echo);
    for (const headerTableSize of [0, 65_536, 100, 4096]) {
      assert.equal(await ask().ended, undefined);
      sessions[0]!.settings({ headerTableSize });
    }
    assert.equal(await ask().ended, undefined);
    assert.equal(sessions.length, 1);
  });

  it('finishes the calls in flight when the peer announces that it will close, and then closes', async () => {
    await open((stream) => void setTimeout(() => echo(stream), 20));
    const first = ask();
    await sleep(5);
    const announced = Array.from({ length: 5 }, () => ask());
    await sleep(5);
    // As grpc-go stops: the largest stream id first, the true one a round trip later.
    sessions[0]!.goaway(0, 2 ** 31 - 1);
    assert.equal(await first.ended, undefined);
    sessions[0]!.goaway(0, 11);
    for (const answer of announced) assert.equal(await answer.ended, undefined);
  });

  it('ends requests that the peer has not read when it closes, and lets the rest finish', async () => {
    const streams: ServerHttp2Stream[] = [];
    let onFirst: () => void;
    const first = new Promise<void>((resolve) => (onFirst = resolve));
    await open((stream) => {
      streams.push(stream);
      onFirst();
    });
    const served = ask();
    await first;
    sessions[0]!.goaway(0, 1);
    const late = ask();
    assert.equal((await late.ended)?.sent, false);
    assert.equal(connection.isUsable, false);
    echo(streams[0]!);
    assert.equal(await served.ended, undefined);
  });

  it('ends its requests when the connection is lost: those that were sent may have been read', async () => {
    await open((stream) => stream.session!.destroy());
    assert.equal((await ask().ended)?.sent, true);
    assert.equal(connection.isUsable, false);
    assert.equal((await ask().ended)?.sent, false);
  });

  it('reports of a cancelled request whether it may still be read', async () => {
    await open(echo);
    const waiting = new Answer();
    assert.equal(connection.cancel(request(waiting)), false);
    assert.equal(await ask().ended, undefined);
    assert.equal(connection.cancel(request(waiting)), true, 'it is on its way out');
  });

  it('gives up a connection that is not answered, or not in HTTP/2', async () => {
    await openRaw((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const end = await ask().ended;
    assert.deepEqual([end?.sent, end?.notUnderstood], [false, false]);
    await new Promise((done) => server.close(done));
    connection = new Http2Connection(url, {});
    assert.equal((await ask().ended)?.sent, false);
    await openRaw(() => undefined);
    assert.match((await ask().ended)!.message, /no connection within/);
  }).timeout(10_000);

  it('breaks off when the peer breaks the protocol', async () => {
    const broken = [
      encodeFrame(1, 4, 1, Buffer.from([0xbe])),
      encodeFrame(9, 4, 1, Buffer.alloc(1)),
      encodeFrame(0, 8, 1, Buffer.from([9])),
      encodeFrame(1, 0, 1, Buffer.alloc(1)),
      encodeFrame(0, 0, 1, Buffer.alloc(20_000)),
      // Frames of the wrong length, in the wrong place, or of streams that were never opened.
      encodeFrame(3, 0, 1, Buffer.alloc(3)),
      encodeFrame(4, 0, 0, Buffer.alloc(5)),
      encodeFrame(4, 1, 0, Buffer.alloc(6)),
      encodeFrame(4, 0, 1, Buffer.alloc(0)),
      encodeFrame(6, 0, 0, Buffer.alloc(7)),
      encodeFrame(7, 0, 0, Buffer.alloc(4)),
      encodeFrame(8, 0, 0, Buffer.alloc(3)),
      encodeFrame(0, 0, 0, Buffer.alloc(3)),
      encodeFrame(0, 0, 3, Buffer.alloc(3)),
      encodeFrame(1, 4, 2, Buffer.from([0x88])),
      encodeFrame(5, 4, 1, Buffer.alloc(4)),
      encodeNumberFrame(3, 99, 2),
      // Values that are not allowed, and windows that grow by nothing or too far.
      encodeSettings([[4, 2 ** 31]]),
      encodeSettings([[5, 100]]),
      encodeSettings([[2, 1]]),
      encodeNumberFrame(8, 0, 0),
      encodeNumberFrame(8, 1, 0),
      encodeNumberFrame(8, 0, 2 ** 31 - 1),
      encodeNumberFrame(8, 1, 2 ** 31 - 1),
    ];
    for (const frame of broken) {
      let sent = '';
      await openRaw((socket) => {
        socket.write(encodeSettings([]));
        // The request comes after the greeting.
        socket.on('data', (chunk: Buffer) => {
          if (!(sent += chunk.toString('latin1')).includes('question')) return;
          socket.write(Buffer.concat([frame, encodeFrame(6, 0, 0, Buffer.alloc(8))]));
          sent = '';
        });
      });
      const end = await ask().ended;
      assert.match(end!.message, /broke the protocol/, frame.subarray(0, 20).toString('hex'));
      assert.deepEqual([end!.sent, end!.notUnderstood], [true, true]);
      await new Promise((done) => server.close(done));
    }
  });
});

describe('frame reader', () => {
  it('reads the same frames however they are cut', () => {
    const frames = [
      encodeSettings([[3, 100]]),
      encodeFrame(0, 1, 5, Buffer.from('body')),
      encodeFrame(6, 0, 0, Buffer.alloc(8)),
      encodeFrame(0, 0, 7, Buffer.alloc(16_384, 'x')),
    ];
    const bytes = Buffer.concat(frames);
    for (const size of [1, 2, 8, 9, 10, 1000, bytes.length]) {
      const reader = new FrameReader();
      const read: Frame[] = [];
      for (let at = 0; at < bytes.length; at += size)
        reader.push(bytes.subarray(at, at + size), (frame) => read.push(frame));
      assert.deepEqual(
        read.map((frame) => encodeFrame(frame.type, frame.flags, frame.stream, frame.payload)),
        frames,
      );
    }
  });
});
