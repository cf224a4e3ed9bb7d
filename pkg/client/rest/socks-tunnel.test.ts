import assert from 'node:assert/strict';
import net, { type AddressInfo, type Socket } from 'node:net';
import { configMaps } from '../../api/core/tokens.ts';
import { answerJson, startHttpsService } from '../../net/https-service-testing.ts';
import { RestClient } from './rest-client.ts';
import { openSocksTunnel } from './socks-tunnel.ts';

interface SocksProxy {
  readonly port: number;
  /** Names and ports that were asked for. */
  readonly asked: string[];
  readonly passwords: string[];
  close(): void;
}

/** A SOCKS5 proxy that leads every connection to one port; `reply` is its answer to CONNECT. */
async function startProxy(targetPort: number, { method = 0, reply = 0, passwordStatus = 0 } = {}): Promise<SocksProxy> {
  const asked: string[] = [];
  const passwords: string[] = [];
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    void (async () => {
      // The client sends nothing before it has its answer.
      const next = (): Promise<Buffer> => new Promise((resolve) => void socket.once('data', resolve));
      const [version, , offered] = await next();
      assert.equal(version, 5);
      socket.write(Buffer.from([5, offered === method ? method : 0xff]));
      if (offered !== method) return;
      if (method === 2) {
        const text = await next();
        const name = text.subarray(2, 2 + text[1]!);
        passwords.push(`${name}:${text.subarray(3 + name.length)}`);
        socket.write(Buffer.from([1, passwordStatus]));
        if (passwordStatus !== 0) return;
      }
      const request = await next();
      asked.push(request.subarray(3).toString('latin1'));
      const target = net.connect(targetPort, '127.0.0.1', () => {
        // The answer comes in two pieces, its address as a name.
        socket.write(Buffer.from([5, reply, 0]));
        setTimeout(() => {
          socket.write(Buffer.concat([Buffer.from([3, 1]), Buffer.from('x'), Buffer.from([0, 0])]));
          if (reply === 0) socket.pipe(target).pipe(socket);
        }, 5);
      });
      sockets.add(target);
      target.on('error', () => socket.destroy());
    })().catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, asked, passwords, close };
}

describe('connections through a SOCKS5 proxy', () => {
  const name = { namespace: 'n', name: 'a' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: name };
  let proxy: SocksProxy;
  afterEach(() => proxy.close());

  for (const protocol of ['http/1.1', 'h2'] as const) {
    it(`lead to the API server (${protocol})`, async () => {
      const service = await startHttpsService((_request, response) => answerJson(response, object), {
        names: ['localhost'],
        http2: protocol === 'h2',
      });
      proxy = await startProxy(service.port, { method: 2 });
      const config = {
        server: new URL(`https://localhost:${service.port}`),
        ca: service.ca,
        credentials: { token: 't' },
        proxy: new URL(`socks5://us%20er:p%40@127.0.0.1:${proxy.port}`),
      };
      const client = new RestClient(config, { protocol });
      try {
        assert.equal((await client.get(configMaps, name)).kind, 'ConfigMap');
        await client.get(configMaps, name);
        const port = String.fromCharCode(service.port >> 8, service.port & 0xff);
        assert.deepEqual([proxy.asked, proxy.passwords], [[`\u0003\u0009localhost${port}`], ['us er:p@']]);
      } finally {
        client.close();
        await service.close();
      }
    });
  }

  it('name addresses as such', async () => {
    proxy = await startProxy(9);
    for (const [host, expected] of [
      ['10.1.2.3', '\u0001\n\u0001\u0002\u0003'],
      ['fd00::1:2', `\u0004\u00fd${'\0'.repeat(12)}\u0001\0\u0002`],
    ] as const) {
      const opened = openSocksTunnel(new URL(`socks5://127.0.0.1:${proxy.port}`), { host, port: 258 }, 300);
      await opened.then(
        (socket) => socket.destroy(),
        () => undefined,
      );
      assert.equal(proxy.asked.pop(), `${expected}\u0001\u0002`);
    }
  });

  it('fail with what the proxy says, or with its silence', async () => {
    const silent = net.createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const open = (port: number, user = ''): Promise<Socket> =>
      openSocksTunnel(new URL(`socks5://${user}127.0.0.1:${port}`), { host: 'a.example', port: 1 }, 100);
    proxy = await startProxy((silent.address() as AddressInfo).port, { reply: 5 });
    await assert.rejects(open(proxy.port), /the proxy answered: connection refused/);
    await assert.rejects(open(proxy.port, 'u:p@'), /does not accept these credentials/);
    proxy.close();
    proxy = await startProxy(9, { method: 2, passwordStatus: 1 });
    await assert.rejects(open(proxy.port, 'u:p@'), /does not accept this name and password/);
    await assert.rejects(open((silent.address() as AddressInfo).port), { code: 'ETIMEDOUT' });
    silent.close();
  });
});
