import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import { connect, Socket, type AddressInfo } from 'node:net';
import type { AuditedRequest } from '../../audit/audited-request.ts';
import { contextFor } from '../loopback-testing.ts';
import type { RequestContext } from '../request/request-context.ts';
import { acceptUpgrades } from './accept-upgrades.ts';
import { testConnections } from './connections-testing.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import { pendingUpgrade } from './pending-upgrade.ts';
import { ScriptedServer } from './scripted-server-testing.ts';

const switched = (protocol: string): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;

/** A client of a front on a separate connection. */
class Client {
  readonly socket: Socket;
  received = '';
  ended = false;
  private wake: () => void = () => undefined;

  constructor(port: number, text: string) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => void this.socket.write(text));
    this.socket.on('error', () => undefined);
    this.socket.on('data', (bytes: Buffer) => {
      this.received += bytes.toString('latin1');
      this.wake();
    });
    for (const event of ['end', 'close']) {
      this.socket.on(event, () => {
        this.ended = true;
        this.wake();
      });
    }
  }

  async until(holds: (received: string) => boolean): Promise<string> {
    while (!holds(this.received) && !this.ended)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    return this.received;
  }

  untilEnd(): Promise<string> {
    return this.until(() => false);
  }
}

describe('forwardUpgrade', () => {
  let backend: ScriptedServer;
  let front: Server;
  let port: number;
  let script: (socket: Socket, received: string) => void;
  let last: RequestContext;
  let clients: Client[];
  let over: Promise<void>;
  let audit: AuditedRequest | undefined;
  const connections = testConnections();

  before(async () => {
    backend = await ScriptedServer.start((socket, received) => script(socket, received));
    front = createServer();
    acceptUpgrades(front as unknown as Http2SecureServer, async (request, response) => {
      last = contextFor(request, response);
      last.audit = audit;
      over = forwardUpgrade(last, connections, pendingUpgrade(request)!, {
        backend: backend.backend(),
        path: request.url ?? '/',
      });
      await over.catch((error: Error) => void (response as ServerResponse).writeHead(500).end(error.message));
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    port = (front.address() as AddressInfo).port;
  });
  beforeEach(() => {
    clients = [];
    audit = undefined;
  });
  afterEach(async () => {
    for (const { socket } of clients) socket.destroy();
    await over.catch(() => undefined);
    await backend.until(() => backend.sockets.length === 0);
    while (connections.size > 0) await new Promise(setImmediate);
  });
  after(async () => {
    front.close();
    await backend.stop();
  });

  function ask(protocol = 'echo', headers = '', behind = ''): Client {
    const client = new Client(
      port,
      `GET /stream?a=%20 HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: ${protocol}\r\n${headers}\r\n${behind}`,
    );
    clients.push(client);
    return client;
  }
  const head = (text: string): string => text.slice(0, text.indexOf('\r\n\r\n'));

  it('joins the two when the backend switches', async () => {
    script = (socket, received) =>
      void (received.endsWith('\r\n\r\n')
        ? socket.write(`${switched('echo')}ready`)
        : socket.write(`<${received.slice(received.indexOf('\r\n\r\n') + 4)}>`));
    const client = ask(
      'echo',
      'Authorization: Bearer secret\r\nX-Stream-Protocol-Version: v4\r\nX-Stream-Protocol-Version: v3\r\n',
    );
    await client.until((text) => text.endsWith('ready'));
    assert.match(
      head(client.received),
      /^HTTP\/1\.1 101 Switching Protocols\r\naudit-id: the-audit-id\r\nconnection: Upgrade\r\nupgrade: echo\r\n/i,
    );
    const received = head(backend.received.at(-1)!);
    assert.match(received, /^GET \/stream\?a=%20 HTTP\/1\.1\r\n/);
    assert.match(received, /\r\nx-stream-protocol-version: v4\r\nx-stream-protocol-version: v3\r\n/);
    assert.match(received, /\r\nconnection: Upgrade\r\nupgrade: echo$/i);
    assert.doesNotMatch(received, /secret/);
    client.socket.write('hello');
    await client.until((text) => text.endsWith('<hello>'));
    assert.equal(last.status, 101);
    backend.sockets[0]!.end('bye');
    assert.ok((await client.untilEnd()).endsWith('bye'));
  });

  it('forwards what a client sent before it was answered, after the answer', async () => {
    script = (socket, received) => void (received.includes('early') ? socket.end() : socket.write(switched('echo')));
    await ask('echo', '', 'early').untilEnd();
    assert.ok(backend.received.at(-1)!.endsWith('\r\n\r\nearly'));
  });

  it('ends one side with the other', async () => {
    script = (socket, received) => void (received.endsWith('\r\n\r\n') && socket.write(switched('echo')));
    const leaving = ask();
    await leaving.until((text) => text.includes('101'));
    leaving.socket.resetAndDestroy();
    await backend.until(() => backend.sockets.length === 0);
    const left = ask();
    await left.until((text) => text.includes('101'));
    backend.sockets[0]!.resetAndDestroy();
    await left.untilEnd();
  });

  it('forwards a refusal and nothing behind it', async () => {
    script = (socket) => void socket.write('HTTP/1.1 403 Forbidden\r\nX-Why: b\r\nContent-Length: 3\r\n\r\nno\n');
    const before = backend.received.length;
    const client = ask('echo', '', 'GET /pods HTTP/1.1\r\nHost: h\r\n\r\n');
    const text = await client.untilEnd();
    assert.match(text, /^HTTP\/1\.1 403 Forbidden\r\n[^]*x-why: b\r\n[^]*no\n$/);
    assert.equal(text.split('HTTP/1.1 ').length, 2);
    client.socket.write('GET /more HTTP/1.1\r\nHost: h\r\n\r\n');
    await backend.until(() => backend.sockets.length === 0);
    assert.deepEqual(
      backend.received.slice(before).map((received) => received.includes('/pods')),
      [false],
    );
  });

  const failures: readonly (readonly [what: string, script: (socket: Socket) => void, message: string])[] = [
    [
      'an answer that is neither a switch nor a refusal',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
      'invalid upgrade response: status code 200',
    ],
    [
      'a redirect',
      (socket) => void socket.write('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n'),
      'invalid upgrade response: status code 302',
    ],
    [
      'a switch to another protocol',
      (socket) => void socket.write(switched('other')),
      'invalid upgrade response: the protocol is none that was asked for',
    ],
    [
      'a switch to no protocol',
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
      'malformed HTTP status code "101"',
    ],
    ['a backend that dies', (socket) => socket.destroy(), 'EOF'],
    ['something else than HTTP', (socket) => void socket.write('hello\r\n\r\n'), 'net/http: malformed HTTP response'],
  ];
  for (const [what, answer, message] of failures) {
    it(`refuses clients after ${what}`, async () => {
      script = answer;
      const client = ask();
      const text = await client.untilEnd();
      assert.match(text, /^HTTP\/1\.1 500 /);
      assert.ok(text.includes(message), text);
      assert.equal(text.split('HTTP/1.1 ').length, 2);
      await backend.until(() => backend.sockets.length === 0);
    });
  }

  it('refuses clients whose event cannot be audited', async () => {
    script = (socket) => void socket.write(switched('echo'));
    audit = { answering: () => Promise.reject(new Error('the log is full')) } as unknown as AuditedRequest;
    assert.match(await ask().untilEnd(), /^HTTP\/1\.1 500 [^]*the log is full/);
    await backend.until(() => backend.sockets.length === 0);
  });

  it('accepts one of several protocols that the client offers', async () => {
    script = (socket) => void socket.write(switched('SPDY/3.1'));
    const client = ask('websocket, spdy/3.1');
    await client.until((text) => text.includes('\r\n\r\n'));
    assert.match(client.received, /^HTTP\/1\.1 101 [^]*upgrade: SPDY\/3\.1\r\n/i);
  });

  it('reports that the backend does not answer', async () => {
    const closed = await ScriptedServer.start();
    const { port: free } = closed;
    await closed.stop();
    over = forwardUpgrade({ closed: false } as RequestContext, connections, new Socket(), {
      backend: backend.backend({ port: free }),
      path: '/',
    });
    await assert.rejects(over, {
      message: `error dialing backend: dial tcp 127.0.0.1:${free}: connect: connection refused`,
    });
  });

  it('disconnects from a backend that does not answer when the client leaves', async () => {
    script = () => undefined;
    const client = ask();
    await backend.until(() => backend.received.at(-1)!.endsWith('\r\n\r\n') && backend.sockets.length === 1);
    last.response.destroy();
    client.socket.destroy();
    await backend.until(() => backend.sockets.length === 0);
  });
});
