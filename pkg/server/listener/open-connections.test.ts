import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import http2, { type ClientHttp2Session, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { OpenConnections } from './open-connections.ts';

describe('OpenConnections', () => {
  let pair: TestAuthority;
  let server: Http2SecureServer;
  let connections: OpenConnections;
  let streams: ServerHttp2Stream[];

  before(async () => {
    pair = await TestAuthority.create();
  });
  beforeEach(async () => {
    streams = [];
    server = http2.createSecureServer({ cert: pair.pem, key: pair.keyPem, allowHTTP1: true });
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200 });
      streams.push(stream);
    });
    connections = new OpenConnections(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    connections.destroyAll();
    server.close();
    await once(server, 'close');
  });

  const port = (): number => (server.address() as AddressInfo).port;

  async function openSession(): Promise<ClientHttp2Session> {
    const session = http2.connect(`https://127.0.0.1:${port()}`, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    await once(session, 'connect');
    return session;
  }
  async function openSocket(): Promise<tls.TLSSocket> {
    const socket = tls.connect({
      port: port(),
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    return socket;
  }
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  it('counts connections of both protocols, as long as they are open', async () => {
    const [session, socket] = await Promise.all([openSession(), openSocket()]);
    await until(() => connections.size === 2);
    socket.destroy();
    await until(() => connections.size === 1);
    session.destroy();
    await until(() => connections.size === 0);
  });

  it('lets streams of a session end before it does, and accepts no more', async () => {
    const session = await openSession();
    const stream = session.request({ ':path': '/' });
    await until(() => streams.length === 1);
    connections.endSessions();
    await once(session, 'goaway');
    assert.throws(() => session.request({ ':path': '/' }), { code: 'ERR_HTTP2_GOAWAY_SESSION' });
    streams[0]!.end('to the end');
    let text = '';
    for await (const part of stream) text += String(part);
    assert.equal(text, 'to the end');
    await until(() => connections.size === 0);
  });

  it('asks sessions to end, later ones behind their first request, and serves remaining requests', async () => {
    const early = await openSession();
    await until(() => connections.size === 1);
    const told = once(early, 'goaway');
    connections.announceEnd();
    assert.deepEqual((await told).slice(0, 2), [0, 2 ** 31 - 1]);
    const late = await openSession();
    const stream = late.request({ ':path': '/' }).resume();
    await once(late, 'goaway');
    streams[0]!.end('served');
    await once(stream, 'end');
    assert.equal(stream.rstCode, 0);
  });

  describe('over HTTP/1.1', () => {
    let answers: ServerResponse[];
    beforeEach(() => {
      answers = [];
      server.on('request', (_request, response) => void answers.push(response as unknown as ServerResponse));
    });
    const ask = async (socket: tls.TLSSocket): Promise<ServerResponse> => {
      const before = answers.length;
      socket.write('GET / HTTP/1.1\r\nHost: binnacle\r\n\r\n');
      await until(() => answers.length > before);
      return answers[before]!;
    };
    /** The server may not have seen the connection yet, or the end of an answer. */
    const endedWhenIdle = async (...sockets: readonly tls.TLSSocket[]): Promise<void> => {
      for (const socket of sockets) socket.resume();
      await until(() => {
        connections.endIdle();
        return sockets.every(({ closed }) => closed);
      });
    };

    it('ends those without a request in flight, with or without a request before', async () => {
      const [fresh, answered] = await Promise.all([openSocket(), openSocket()]);
      (await ask(answered)).end('done');
      await once(answered, 'data');
      await endedWhenIdle(fresh, answered);
    });

    it('leaves those with an answer to come, or one that its client has not read', async () => {
      const [waiting, slow] = await Promise.all([openSocket(), openSocket()]);
      const answer = await ask(waiting);
      const large = Buffer.alloc(16 * 1024 * 1024, 'x');
      (await ask(slow)).end(large);
      slow.pause();
      for (let i = 0; i < 3; i++) {
        connections.endIdle();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      answer.end('at last');
      let text = '';
      waiting.on('data', (part) => {
        text += String(part);
      });
      let bytes = 0;
      slow.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      slow.resume();
      await until(() => text.endsWith('at last') && bytes > large.length);
      await endedWhenIdle(waiting, slow);
    });

    it('leaves those that switched protocols', async () => {
      server.on('upgrade', (_request, socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
      const socket = await openSocket();
      socket.write('GET / HTTP/1.1\r\nHost: binnacle\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
      await once(socket, 'data');
      connections.endIdle();
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(socket.closed || socket.readableEnded, false);
    });
  });

  it('ends everything at once', async () => {
    const [session, socket] = await Promise.all([openSession(), openSocket()]);
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    await until(() => streams.length === 1 && connections.size === 2);
    const closed = Promise.all([once(session, 'close'), once(socket, 'close')]);
    connections.destroyAll();
    await closed;
    await until(() => connections.size === 0);
  });
});
