import assert from 'node:assert/strict';
import net from 'node:net';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { Http2Connection } from './http2-connection.ts';
import { head, RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('floods of connections and streams', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('a thousand connections at a time that open, ask and close', () =>
    whileServing(server, async () => {
      const connections: RawConnection[] = [];
      for (let i = 0; i < 10; i++)
        connections.push(
          ...(await Promise.all(Array.from({ length: 100 }, () => RawConnection.open(server.client.url)))),
        );
      for (const connection of connections) connection.write(head('GET', '/version', server.client.token));
      const answers = await Promise.all(connections.map((connection) => connection.answer(20_000)));
      assert.ok(answers.every((answer) => answer.status === 200));
      for (const [i, connection] of connections.entries()) {
        if (i % 2 === 0) connection.reset();
        else connection.socket.end();
      }
    }));

  it('a thousand connections that say nothing, or no TLS', () =>
    whileServing(server, async () => {
      const { hostname, port } = server.client.url;
      const sockets = Array.from({ length: 1000 }, (_, i) => {
        const socket = net.connect(Number(port), hostname);
        socket.on('error', () => undefined);
        if (i % 3 === 1) socket.write('GET / HTTP/1.1\r\n\r\n');
        if (i % 3 === 2) socket.write(Buffer.from([0x16, 0x03, 0x01, 0x40, 0x00]));
        return socket;
      });
      await pause(500);
      for (const socket of sockets) socket.destroy();
    }));

  it('streams that are opened and cancelled in a loop', () =>
    whileServing(server, async () => {
      for (let round = 0; round < 3; round++) {
        const connection = await Http2Connection.open(server);
        for (let i = 0; i < 3000 && !connection.session.destroyed && !connection.session.closed; i++) {
          connection
            .request(i % 2 === 0 ? 'GET' : 'POST', i % 3 === 0 ? `${maps}?watch=true` : maps, {}, i % 2 === 0)
            .close(8);
          if (i % 100 === 99) await pause(1);
        }
        connection.close();
      }
      const deadline = Date.now() + 10_000;
      const { watches } = server.running.server;
      // The one that is left is that of the client beside us.
      while (watches.size > 1 && Date.now() < deadline) await pause(20);
      assert.equal(watches.size, 1);
    }));

  it('pings and settings in a loop', () =>
    whileServing(server, async () => {
      const connection = await Http2Connection.open(server);
      for (let i = 0; i < 2000 && !connection.session.destroyed; i++) {
        connection.session.ping(() => undefined);
        if (i % 10 === 0) connection.session.settings({ initialWindowSize: 65_535 + i }, () => undefined);
        if (i % 100 === 99) await pause(1);
      }
      connection.close();
    }));

  it('requests that are given up before their answer', () =>
    whileServing(server, async () => {
      for (let i = 0; i < 200; i++) {
        const connection = await RawConnection.open(server.client.url);
        const body = JSON.stringify({ metadata: { name: `given-up-${i}` }, data: { k: 'x'.repeat(10_000) } });
        connection.write(
          head('POST', maps, server.client.token, {
            'content-type': 'application/json',
            'content-length': String(body.length),
          }) + body,
        );
        connection.reset();
      }
    }));

  it('a hundred requests in one write', () =>
    whileServing(server, async () => {
      const connection = await RawConnection.open(server.client.url);
      connection.write(
        Array.from({ length: 100 }, (_, i) => head('GET', `${maps}/pipelined-${i}`, server.client.token)).join(''),
      );
      const text = await connection.until((t) => t.includes('pipelined-99'));
      const order = [...text.matchAll(/configmaps \\"pipelined-(\d+)\\" not found/g)].map((m) => Number(m[1]));
      assert.deepEqual(
        order,
        Array.from({ length: 100 }, (_, i) => i),
      );
      connection.destroy();
    }));
});
