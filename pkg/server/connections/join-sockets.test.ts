import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { RawRequest } from '../request/request-context.ts';
import { ConnectionRates } from './connection-rates.ts';
import { joinSockets } from './join-sockets.ts';
import { ManualClock } from './manual-clock-testing.ts';

describe('joinSockets', () => {
  let server: Server;
  const open: Socket[] = [];

  before(async () => {
    server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  after(() => new Promise((resolve) => void server.close(resolve)));

  /** Both ends of a connection. */
  async function connection(): Promise<readonly [near: Socket, far: Socket]> {
    const far = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    const [near] = (await once(server, 'connection')) as [Socket];
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      open.push(socket);
    }
    return [near, far];
  }

  /** A client and a backend on the two sides of joined sockets. */
  async function joined(rates?: ConnectionRates): Promise<{ client: Socket; backend: Socket; over: Promise<void> }> {
    const [[nearClient, client], [nearBackend, backend]] = [await connection(), await connection()];
    return {
      client,
      backend,
      over: joinSockets(nearClient, nearBackend, rates?.of({ socket: nearClient } as unknown as RawRequest)),
    };
  }

  /** The bytes until the other side ends. */
  async function textOf(socket: Socket): Promise<string> {
    let text = '';
    socket.on('data', (part) => {
      text += String(part);
    });
    await once(socket, 'end');
    return text;
  }

  it('passes bytes on, both ways', async () => {
    const { client, backend } = await joined();
    client.write('ping');
    assert.equal(String((await once(backend, 'data'))[0]), 'ping');
    backend.write('pong');
    assert.equal(String((await once(client, 'data'))[0]), 'pong');
  });

  it('forwards the end of one side to the other, which may finish', async () => {
    const { client, backend, over } = await joined();
    client.end('question');
    assert.equal(await textOf(backend), 'question');
    backend.end('answer');
    assert.equal(await textOf(client), 'answer');
    await over;
  });

  it('breaks one side with the other', async () => {
    const { client, backend, over } = await joined();
    const ended = textOf(backend);
    client.resetAndDestroy();
    await Promise.all([ended, over]);
  });

  it('keeps to a rate each way, and loses nothing that a side sent before it closed', async () => {
    const clock = new ManualClock();
    const { client, backend, over } = await joined(
      new ConnectionRates({ bytesPerSecond: 1000, nowMs: clock.nowMs, wait: clock.wait }),
    );
    const text = 'x'.repeat(2000);
    let received = 0;
    const all = new Promise<void>((resolve) => void client.once('end', resolve));
    client.on('data', (part: Buffer) => {
      received += part.length;
    });
    backend.end(text);
    client.end();
    const atBackend = textOf(backend);
    // One slice passes at once; the next waits for the clock.
    while (clock.pending === 0) await new Promise(setImmediate);
    while (received < 100) await new Promise(setImmediate);
    assert.equal(received, 100);
    let done = false;
    void all.then(() => {
      done = true;
    });
    while (!done) await clock.advance(50);
    assert.deepEqual([received, clock.nowMs() >= 1900], [2000, true]);
    assert.equal(await atBackend, '');
    await over;
    assert.equal(clock.pending, 0);
  });

  it('waits for nothing after a throttled side is gone', async () => {
    const clock = new ManualClock();
    const { client, backend, over } = await joined(
      new ConnectionRates({ bytesPerSecond: 10, nowMs: clock.nowMs, wait: clock.wait }),
    );
    backend.write('x'.repeat(1000));
    while (clock.pending === 0) await new Promise(setImmediate);
    client.resetAndDestroy();
    backend.resume();
    await over;
    assert.equal(clock.pending, 0);
  });
});
