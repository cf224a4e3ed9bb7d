import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2, { type ClientHttp2Session, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { TestAuthority } from '../../client/certificates-testing.ts';
import { OpenConnections } from './open-connections.ts';

describe('OpenConnections', () => {
  let pair: TestAuthority;
  let server: Http2SecureServer;
  let connections: OpenConnections;
  let streams: ServerHttp2Stream[];

  before(async () => { pair = await TestAuthority.create(); });
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
    const socket = tls.connect({ port: port(), host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
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

  it('lets streams of a session end before it does, and takes no more', async () => {
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
