/** The work of a server without any requests. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

/** Longer than the periods of the endpoints (5 s) and of the repair of allocations (1 and 5 s). */
const IDLE_MS = 6500;

describe('an idle server', function () {
  this.timeout(60_000);
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ args: ['--advertise-address=192.0.2.1'] });
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  /** Requests by verb and resource, as the server counts them. */
  async function requests(): Promise<ReadonlyMap<string, number>> {
    const text = (await server.client.get('/metrics')).body.toString();
    const found = new Map<string, number>();
    for (const [, labels, count] of text.matchAll(/^apiserver_request_total\{([^}]*)\} (\d+)$/gm)) {
      const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels!)?.[1] ?? '';
      const key = `${label('verb')} ${label('resource') || label('subresource')}`;
      found.set(key, (found.get(key) ?? 0) + Number(count));
    }
    return found;
  }

  it('makes no request and writes nothing, but for its leases', async () => {
    // What followed from the start: events of the first writes.
    await sleep(1000);
    const before = await requests();
    const revision = await server.running.server.store.currentRevision();
    const written: string[] = [];
    const stream = server.running.server.store.watch('', revision);
    const reading = (async () => {
      for await (const { events } of stream) for (const { key } of events) written.push(key);
    })();
    await sleep(IDLE_MS);
    stream.close();
    await reading;
    const after = await requests();
    const made = [...after].filter(([key, count]) => count !== (before.get(key) ?? 0)).map(([key]) => key);
    assert.deepEqual(
      made.filter((key) => key !== 'GET /metrics' && !key.endsWith(' leases')),
      [],
    );
    assert.deepEqual(
      written.filter((key) => !key.startsWith('masterleases/') && !key.startsWith('leases/')),
      [],
    );
    assert.ok(
      written.some((key) => key.startsWith('masterleases/')),
      'the round of the endpoints is part of it',
    );
  });

  it('shows the queues of its controllers', async () => {
    const text = (await server.client.get('/metrics')).body.toString();
    for (const name of ['clusterrole-aggregation', 'kubernetes-service', 'serviceaccount', 'system-namespaces']) {
      assert.match(text, new RegExp(`^workqueue_adds_total\\{name="${name}"\\} [1-9]`, 'm'));
      assert.match(text, new RegExp(`^workqueue_depth\\{name="${name}"\\} 0$`, 'm'));
    }
  });
});
