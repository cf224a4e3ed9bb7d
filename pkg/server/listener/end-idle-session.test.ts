import assert from 'node:assert/strict';
import http2, {
  type ClientHttp2Session,
  type Http2Server,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endIdleSession, type IdleLimits } from './end-idle-session.ts';

const LONG_MS = 60_000;
const PREFACE_AND_SETTINGS = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

describe('endIdleSession', () => {
  let server: Http2Server;
  let port: number;
  let waiting: Http2ServerResponse[];
  const sessions = new Set<ServerHttp2Session>();

  async function serve(limits: IdleLimits): Promise<void> {
    waiting = [];
    server = http2.createServer((request, response) => {
      if (request.url === '/wait') waiting.push(response);
      else response.end('ok');
    });
    server.on('session', (session) => {
      sessions.add(session);
      endIdleSession(session, limits);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  }
  afterEach(() => {
    for (const session of sessions) session.destroy();
    sessions.clear();
    return new Promise((resolve) => server.close(resolve));
  });

  const open = (): ClientHttp2Session => http2.connect(`http://127.0.0.1:${port}`).on('error', () => undefined);
  const closed = (connection: ClientHttp2Session): Promise<void> =>
    new Promise((resolve) => void connection.once('close', () => resolve()));
  const ask = (session: ClientHttp2Session, path: string): Promise<number> =>
    new Promise((resolve) => {
      const stream = session.request({ ':path': path }).resume();
      stream.on('error', () => undefined);
      stream.once('close', () => resolve(stream.rstCode));
    });

  it('ends sessions whose first headers do not come', async () => {
    await serve({ firstStreamMs: 50, idleMs: LONG_MS });
    const socket = connect(port, '127.0.0.1');
    const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    // The beginning of a frame of headers that announces 100 bytes.
    socket.write(Buffer.concat([PREFACE_AND_SETTINGS, Buffer.from([0, 0, 100, 1, 4, 0, 0, 0, 1, 0x82])]));
    socket.resume();
    await ended;
  });

  it('ends sessions after their last request, whatever other frames they send', async () => {
    await serve({ firstStreamMs: LONG_MS, idleMs: 50 });
    const session = open();
    assert.equal(await ask(session, '/'), 0);
    const pings = setInterval(() => session.destroyed || session.ping(() => undefined), 5);
    await closed(session);
    clearInterval(pings);
  });

  it('leaves sessions alone while a request is in flight', async () => {
    await serve({ firstStreamMs: 50, idleMs: 50 });
    const session = open();
    const answer = ask(session, '/wait');
    await sleep(250);
    assert.equal(session.destroyed, false);
    waiting[0]!.end('at last');
    assert.equal(await answer, 0);
    await closed(session);
  });

  it('leaves sessions alone that have requests now and again', async () => {
    await serve({ firstStreamMs: LONG_MS, idleMs: 2000 });
    const session = open();
    for (let i = 0; i < 10; i++) {
      assert.equal(await ask(session, '/'), 0);
      await sleep(10);
    }
    assert.equal(session.destroyed, false);
    session.destroy();
  });
});
