import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../test/fixtures/test-server.ts';
import { ensureTrackingSince } from './legacy-token-tracking.ts';

const path = '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking';

describe('tracking of legacy tokens', () => {
  let server: TestServer;
  const since = async () => (await server.client.get(path)).json.data;
  const ensure = (now: string) => ensureTrackingSince(server.running.server.storeOf('configmaps'), Date.parse(now));
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('says since when, keeps the day, and replaces what is none', async () => {
    assert.match((await since()).since, /^\d{4}-\d\d-\d\d$/);
    for (const [stands, then] of [
      ['2024-02-29', '2024-02-29'],
      ['2023-02-29', '2040-05-06'],
      ['soon', '2040-05-06'],
      [undefined, '2040-05-06'],
    ] as const) {
      await server.client.patch(path, 'merge', { data: { since: stands ?? null } });
      await ensure('2040-05-06T23:59:59Z');
      assert.deepEqual(await since(), { since: then });
    }
    await server.client.delete(path);
    await ensure('2041-01-01T00:00:00Z');
    assert.deepEqual(await since(), { since: '2041-01-01' });
  });
});
