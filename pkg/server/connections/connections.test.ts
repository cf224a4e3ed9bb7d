import assert from 'node:assert/strict';
import { once } from 'node:events';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { testConnections } from './connections-testing.ts';
import { DialError } from './dial-error.ts';
import { ScriptedServer } from './scripted-server-testing.ts';

describe('Connections', () => {
  let server: ScriptedServer;
  before(async () => {
    server = await ScriptedServer.start();
  });
  after(() => server.stop());

  it('counts open connections, and closed ones no more', async () => {
    const connections = testConnections();
    const [one, two] = await Promise.all([connections.open(server.backend()), connections.open(server.backend())]);
    assert.equal(connections.size, 2);
    one.destroy();
    await once(one, 'close');
    assert.equal(connections.size, 1);
    await assert.rejects(connections.open(server.backend({ port: 1 })), DialError);
    await assert.rejects(connections.open(server.backend({ isTrusted: false })), { message: 'address not allowed' });
    assert.equal(connections.size, 1);
    two.destroy();
    await once(two, 'close');
    assert.equal(connections.size, 0);
  });

  it('bounds them, those that are being opened included', async () => {
    const connections = testConnections({ connectionsMax: 2 });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => connections.open(server.backend())));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
    const refusal = (outcomes[2] as PromiseRejectedResult).reason;
    assert.ok(refusal instanceof StatusError);
    assert.deepEqual([refusal.code, refusal.status.details?.retryAfterSeconds], [429, 1]);
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') await once(outcome.value.destroy(), 'close');
    (await connections.open(server.backend())).destroy();
  });
});
