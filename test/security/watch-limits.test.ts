import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

const watchPath = '/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0';

describe('watches of one user', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ args: ['--max-watches-per-user=3', '--max-watch-bytes-per-user=100000'] });
  });
  after(() => server.stop());

  const opened = async (count: number): Promise<void> => {
    for (let waited = 0; server.running.server.watches.size !== count; waited += 10) {
      assert.ok(waited < 10_000, `${server.running.server.watches.size} watches are open, ${count} expected`);
      await sleep(10);
    }
  };
  const isTooMany = (answer: {
    status: number;
    headers: Record<string, unknown>;
    json: { kind: string; reason: string; details: { retryAfterSeconds: number } };
  }): void => {
    assert.deepEqual(
      [
        answer.status,
        answer.json.kind,
        answer.json.reason,
        answer.json.details.retryAfterSeconds,
        answer.headers['retry-after'],
      ],
      [429, 'Status', 'TooManyRequests', 5, '5'],
    );
  };

  it('are bounded in number, with a clear answer, and their places come back', async () => {
    const watches = [1, 2, 3].map(() => server.client.watch(watchPath));
    await opened(3);
    isTooMany(await server.client.get(watchPath));
    assert.equal((await server.client.get('/api/v1/namespaces/default/configmaps')).status, 200);
    watches[0]!.close();
    await opened(2);
    const next = server.client.watch(watchPath);
    await opened(3);
    for (const watch of [...watches.slice(1), next]) watch.close();
    await opened(0);
  });

  it('are bounded in what their selectors take', async () => {
    const selector = `a in (${Array.from({ length: 1500 }, (_, i) => `v${i}`).join(',')})`;
    isTooMany(await server.client.get(`${watchPath}&labelSelector=${encodeURIComponent(selector)}`));
    assert.equal(
      (await server.client.get(`/api/v1/namespaces/default/configmaps?labelSelector=${encodeURIComponent(selector)}`))
        .status,
      200,
    );
  });
});
