/**
 * A user who requests hundreds of large lists and reads none of them: others are served, and unread bytes are bounded.
 */
import assert from 'node:assert/strict';
import { holdUnreadLists } from '../attack/unread-lists.ts';
import { memoryBytes } from '../bench/process-usage.ts';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../fixtures/until.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const users = ['hog', 'mouse'];
const LISTS = 100;
const CONNECTIONS = 4;
const ROUNDS = 30;

describe('four hundred unread lists', function () {
  this.timeout(120_000);
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-unread-'));
  const tokens = path.join(dir, 'tokens.csv');

  before(() => writeFileSync(tokens, users.map((name) => `${name}-token,${name},${name}\n`).join('')));
  after(() => rmSync(dir, { recursive: true, force: true }));

  async function start(args: readonly string[]): Promise<{ server: BinnacleProcess; admin: ApiClient }> {
    const server = await startBinnacle([`--token-auth-file=${tokens}`, ...args]);
    const admin = new ApiClient(server.url, server.token);
    await admin.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'editors' },
      subjects: users.map((name) => ({ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' })),
      roleRef: { kind: 'ClusterRole', name: 'edit', apiGroup: 'rbac.authorization.k8s.io' },
    });
    for (let i = 0; i < 40; i++)
      assert.equal(
        (await admin.post(maps, { metadata: { name: `m${i}` }, data: { k: 'x'.repeat(500_000) } })).status,
        201,
      );
    return { server, admin };
  }

  for (const [what, args] of [
    ['with priority and fairness', []],
    ['with the in-flight limits alone', ['--enable-priority-and-fairness=false']],
  ] as const) {
    it(`leave others served, ${what}`, async () => {
      const { server, admin } = await start(args);
      const before = memoryBytes(server.pid).resident;
      const attack = holdUnreadLists({
        url: server.url,
        token: 'hog-token',
        lists: LISTS,
        connections: CONNECTIONS,
        path: maps,
      });
      const mouse = new ApiClient(server.url, 'mouse-token');
      try {
        const begun = (): number => [...attack.answered.values()].reduce((sum, n) => sum + n, 0);
        await until(() => begun() >= LISTS * CONNECTIONS, 'every list has its answer');
        for (let i = 0; i < ROUNDS; i++) {
          const statuses = [
            await mouse.patch(`${maps}/m0`, 'merge', { data: { i: String(i) } }),
            await mouse.get(`${maps}/m0`),
            await mouse.get(`${maps}?limit=1`),
          ].map(({ status }) => status);
          assert.deepEqual(statuses, [200, 200, 200]);
        }
        assert.ok((attack.answered.get(200) ?? 0) >= 1);
        assert.ok((attack.answered.get(429) ?? 0) > 0, 'who reads nothing gets no more');
        const grown = memoryBytes(server.pid).resident - before;
        // The lists have 8 GB together.
        assert.ok(grown < 500 * 1024 * 1024, `memory grew by ${grown} bytes`);
      } finally {
        attack.stop();
        mouse.close();
        admin.close();
        await server.stop();
      }
    });
  }
});
