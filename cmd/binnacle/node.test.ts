import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodes } from '../../pkg/api/core/tokens.ts';
import { readClientConfig } from '../../pkg/client/cluster-config.ts';
import { RestClient } from '../../pkg/client/rest/rest-client.ts';
import type { Node } from '../../pkg/generated/types/core-v1.ts';
import { startTestServer } from '../../test/fixtures/test-server.ts';
import { runCommand } from './run-command-testing.ts';

describe('binnacle node', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-node-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('refuses what it does not understand', async () => {
    const wrong = [['fail'], ['hide', 'a'], ['fail', 'a', '--wrong']];
    for (const { status, stderr } of await Promise.all(
      wrong.map((args) => runCommand(['node', ...args], { cwd: dir })),
    )) {
      assert.equal(status, 2);
      assert.match(stderr, /^binnacle node: .*\n\nUsage: binnacle node fail\|recover NAME/);
    }
    const away = await runCommand(['node', 'fail', 'a', '--kubeconfig', 'none'], { cwd: dir });
    assert.deepEqual([away.status, away.stderr.startsWith('binnacle node fail: ')], [1, true]);
  });

  it('lets a simulated node fail and brings it back', async () => {
    const { running, stop } = await startTestServer({});
    try {
      const file = path.join(dir, 'kubeconfig');
      const { url: server, token } = running;
      const config = {
        clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'u', user: { token } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      };
      writeFileSync(file, JSON.stringify(config));
      const client = new RestClient(readClientConfig(file));
      const annotations = { 'simulation.binnacle.io/node': 'true' };
      await client.create(nodes, { metadata: { name: 'a', annotations }, spec: {}, status: {} as Node['status'] });
      const run = async (action: string): Promise<unknown[]> => {
        const { status, stdout } = await runCommand(['node', action, 'a', '--kubeconfig', file]);
        const { metadata } = await client.get(nodes, { name: 'a' });
        return [status, stdout.toString(), metadata.annotations?.['simulation.binnacle.io/failed']];
      };
      assert.deepEqual(await run('fail'), [0, 'node a has failed\n', 'true']);
      assert.deepEqual(await run('recover'), [0, 'node a is back\n', undefined]);
      client.close();
    } finally {
      await stop();
    }
  });
});
