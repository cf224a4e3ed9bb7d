import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/**
 * Objects that only administrators may see are in other namespaces and kinds; they must not be in any answer to the low
 * user.
 */
export const MARK = 'only-for-administrators';

/** Whether an answer shows the mark, as it is or as secrets hold it. */
export function showsMark(body: Buffer | string): boolean {
  return body.includes(MARK) || body.includes(Buffer.from(MARK).toString('base64'));
}

/**
 * A server with RBAC, its administrator, and a user who may read config maps of the namespace `mine` and nothing else.
 */
export interface LowUserSetting {
  readonly server: TestServer;
  readonly low: ApiClient;
  /** All that the log said. */
  readonly log: () => string;
  stop(): Promise<void>;
}

export const LOW_TOKEN = 'token-of-the-low-user';

export async function startWithLowUser(args: readonly string[] = []): Promise<LowUserSetting> {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-low-'));
  const tokens = path.join(dir, 'tokens.csv');
  writeFileSync(tokens, `${LOW_TOKEN},low,low,"few"\n`);
  const lines: string[] = [];
  const server = await startTestServer({
    args: [`--token-auth-file=${tokens}`, ...args],
    onLog: (line) => lines.push(line),
  });
  const { client } = server;
  for (const name of ['mine', 'other']) await client.post('/api/v1/namespaces', { metadata: { name } });
  await client.post('/api/v1/namespaces/mine/configmaps', { metadata: { name: 'seen' }, data: { a: 'b' } });
  await client.post('/api/v1/namespaces/other/configmaps', { metadata: { name: 'hidden' }, data: { a: MARK } });
  for (const name of ['mine', 'other'])
    await client.post(`/api/v1/namespaces/${name}/secrets`, { metadata: { name: 'hidden' }, stringData: { a: MARK } });
  await client.post('/apis/rbac.authorization.k8s.io/v1/namespaces/mine/roles', {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
  });
  await client.post('/apis/rbac.authorization.k8s.io/v1/namespaces/mine/rolebindings', {
    metadata: { name: 'reader' },
    subjects: [{ kind: 'User', name: 'low', apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: { kind: 'Role', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' },
  });
  const low = new ApiClient(server.running.url, LOW_TOKEN);
  return {
    server,
    low,
    log: () => lines.join(''),
    async stop() {
      low.close();
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
