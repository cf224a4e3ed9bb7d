import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { answerForwarded } from './port-forward.ts';
import type { SpdyStream } from './spdy-session.ts';

const POD = { namespace: 'ns', name: 'p' };
const GREETING = 'simulated: pod ns/p, port 80\n';

/** A stream as a client opens it; `sent`: what it sends, undefined: nothing, and it waits. */
function streamOf(type: string, sent: readonly string[] | undefined): { stream: SpdyStream; got: Promise<string> } {
  const written: Buffer[] = [];
  const stream = new Duplex({
    read() {
      // Data is pushed below.
    },
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  const headers = new Map([
    ['streamtype', type],
    ['port', '80'],
  ]);
  for (const part of sent ?? []) stream.push(part);
  const got = new Promise<string>((resolve) => {
    stream.once('finish', () => resolve(Buffer.concat(written).toString()));
  });
  return { stream: Object.assign(stream, { headers }) as unknown as SpdyStream, got };
}

describe('a forwarded port of a simulated pod', () => {
  let clock: FakeClock;
  beforeEach(() => {
    clock = new FakeClock();
  });

  const cases: readonly (readonly [what: string, sent: readonly string[], answer: string])[] = [
    ['what is no HTTP', ['PING\n'], GREETING],
    [
      'an HTTP request in two parts',
      ['GET / HTTP/1.1\r\nHo', 'st: x\r\n\r\n'],
      `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 29\r\nConnection: close\r\n\r\n${GREETING}`,
    ],
    [
      'a HEAD request',
      ['HEAD / HTTP/1.1\r\n\r\n'],
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 29\r\nConnection: close\r\n\r\n',
    ],
  ];
  for (const [what, sent, answer] of cases)
    it(`answers ${what}`, async () => {
      const { stream, got } = streamOf('data', sent);
      answerForwarded(stream, POD, clock);
      assert.equal(await got, answer);
    });

  it('greets who waits', async () => {
    const { stream, got } = streamOf('data', undefined);
    answerForwarded(stream, POD, clock);
    await clock.advance(500);
    assert.equal(await got, GREETING);
  });

  it('says nothing on the stream of errors', async () => {
    const { stream, got } = streamOf('error', undefined);
    answerForwarded(stream, POD, clock);
    stream.push(null);
    assert.equal(await got, '');
  });
});
