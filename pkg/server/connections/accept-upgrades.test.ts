import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { exchange } from '../loopback-testing.ts';
import { acceptUpgrades } from './accept-upgrades.ts';
import { pendingUpgrade } from './pending-upgrade.ts';

describe('acceptUpgrades', () => {
  let server: Server;
  let port: number;
  let told: { url: string; refusal: string | undefined; offered: boolean }[];
  let taken: ((client: Socket, response: ServerResponse) => void) | undefined;

  before(async () => {
    server = createServer(
      (request, response) => void response.end(`plain ${request.url}, ${pendingUpgrade(request) === undefined}`),
    );
    acceptUpgrades(server as unknown as Http2SecureServer, async (request, response, refusal) => {
      const client = pendingUpgrade(request);
      told.push({ url: request.url ?? '', refusal: refusal?.message, offered: client !== undefined });
      if (taken === undefined)
        (response as ServerResponse).writeHead(refusal === undefined ? 200 : 400).end('answered');
      else taken(client!, response as ServerResponse);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    told = [];
    taken = undefined;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const request = (headers: string, behind = ''): string => `GET /a HTTP/1.1\r\nHost: h\r\n${headers}\r\n${behind}`;
  const upgrade = 'Connection: Upgrade\r\nUpgrade: echo\r\n';

  it('shows a request like any other, and ends its connection where no handler takes it over', async () => {
    const text = await exchange(port, request(upgrade, 'GET /b HTTP/1.1\r\nHost: h\r\n\r\n'));
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*\r\nanswered\r\n0\r\n\r\n$/i);
    assert.deepEqual(told, [{ url: '/a', refusal: undefined, offered: true }]);
  });

  it('refuses one with a body', async () => {
    for (const header of ['Content-Length: 4\r\n', 'Transfer-Encoding: chunked\r\n']) {
      assert.match(await exchange(port, request(upgrade + header, 'body')), /^HTTP\/1\.1 400 /);
      assert.equal(told.at(-1)!.refusal, 'the request could not be read');
    }
    assert.match(await exchange(port, request(`${upgrade}Content-Length: 0\r\n`)), /^HTTP\/1\.1 200 /);
  });

  it('passes on the connection with everything that came behind the headers', async () => {
    let received = '';
    taken = (client, response) => {
      response.writeHead(101, { connection: 'Upgrade', upgrade: 'echo' });
      response.flushHeaders();
      response.detachSocket(client);
      client.on('data', (bytes: Buffer) => {
        received += String(bytes);
        if (received === 'early and late') client.end('all of it');
      });
    };
    const socket = connect(port, '127.0.0.1', () => void socket.write(request(upgrade, 'early')));
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      if (text === '') socket.write(' and late');
      text += String(bytes);
    });
    await once(socket, 'close');
    assert.match(text, /^HTTP\/1\.1 101 [^]*all of it$/);
  });

  it('survives clients that leave at once', async () => {
    let answer!: () => void;
    const asked = new Promise<void>((resolve) => {
      taken = (_, response) => {
        answer = () => void response.writeHead(200).end('too late');
        resolve();
      };
    });
    const socket = connect(port, '127.0.0.1', () => void socket.write(request(upgrade)));
    await asked;
    socket.resetAndDestroy();
    await once(socket, 'close');
    answer();
    taken = undefined;
    assert.match(await exchange(port, request(upgrade)), /^HTTP\/1\.1 200 /);
  });

  it('ignores requests without an upgrade', async () => {
    assert.match(await exchange(port, request('Connection: close\r\nUpgrade: echo\r\n')), /plain \/a, true$/);
    assert.match(await exchange(port, request('Connection: Upgrade, close\r\n')), /plain \/a, true$/);
    assert.deepEqual(told, []);
  });
});
