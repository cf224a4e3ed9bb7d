import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { anyAddress } from './any-address.ts';

describe('anyAddress', () => {
  it('is that of IPv6 where the machine has it, else that of IPv4', async () => {
    assert.equal(await anyAddress(async () => true), '::');
    assert.equal(await anyAddress(async () => false), '0.0.0.0');
  });

  it('is one at which every loopback address of this machine reaches a server', async () => {
    const server = createServer((socket) => socket.end()).listen({
      host: await anyAddress(),
      port: 0,
      ipv6Only: false,
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const loopback = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal }) => internal);
    assert.ok(loopback.length > 0);
    for (const { address } of loopback) {
      const socket = connect(port, address);
      await once(socket, 'connect');
      socket.destroy();
    }
    server.close();
    await once(server, 'close');
  });
});
