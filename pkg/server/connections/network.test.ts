import assert from 'node:assert/strict';
import { once } from 'node:events';
import { hostNetwork } from './network.ts';
import { ScriptedServer } from './scripted-server-testing.ts';

describe('hostNetwork', () => {
  it('resolves names to all their addresses', async () => {
    assert.ok((await hostNetwork.resolve('localhost')).some((address) => address === '127.0.0.1' || address === '::1'));
    await assert.rejects(hostNetwork.resolve('name.invalid'), (error: NodeJS.ErrnoException) =>
      ['ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''),
    );
  });

  it('connects to addresses', async () => {
    const server = await ScriptedServer.start();
    const socket = hostNetwork.connect('127.0.0.1', server.port);
    await once(socket, 'connect');
    socket.destroy();
    await server.stop();
  });
});
