import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('rollback', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
    await api.send('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'web' },
      spec: { selector: { matchLabels: { app: 'web' } }, template },
    });
  });
  after(() => api.stop());
  const rollback = (version: string, name: string, body: object) =>
    api.send('POST', `/apis/${version}/namespaces/default/deployments/${name}/rollback`, body);

  it('is asked for on the deployment', async () => {
    for (const [version, revision] of [
      ['extensions/v1beta1', 3],
      ['apps/v1beta1', 4],
    ] as const) {
      const answer = await rollback(version, 'web', {
        kind: 'DeploymentRollback',
        apiVersion: version,
        name: 'web',
        updatedAnnotations: { by: 'me' },
        rollbackTo: { revision },
      });
      assert.deepEqual(
        [answer.status, answer.body.status, answer.body.message],
        [201, 'Success', 'rollback request for deployment "web" succeeded'],
      );
      const old = (await api.send('GET', `/apis/${version}/namespaces/default/deployments/web`)).body;
      assert.deepEqual([old.spec.rollbackTo, old.metadata.annotations.by], [{ revision }, 'me']);
    }
  });

  it('is refused where it makes no sense', async () => {
    assert.equal(
      (await rollback('apps/v1beta1', 'web', { name: 'other', rollbackTo: {} })).body.message,
      'name in URL does not match name in DeploymentRollback object',
    );
    assert.equal((await rollback('apps/v1beta1', 'web', { name: 'web', rollbackTo: { revision: -1 } })).status, 422);
    assert.equal((await rollback('apps/v1beta1', 'none', { name: 'none', rollbackTo: {} })).status, 404);
    assert.equal((await rollback('apps/v1', 'web', { name: 'web', rollbackTo: {} })).status, 404);
  });
});
