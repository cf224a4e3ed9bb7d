import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** The pages that load balancers, kubelets and people ask. */
describe('health pages', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('name what a start does, as a stock server names it', async () => {
    const { status, body } = await server.client.get('/readyz?verbose');
    assert.equal(status, 200);
    assert.deepEqual(body.toString().split('\n'), [
      '[+]ping ok', '[+]etcd ok', '[+]informer-sync ok', '[+]poststarthook/bootstrap-controller ok', '[+]poststarthook/rbac/bootstrap-roles ok',
      '[+]poststarthook/scheduling/bootstrap-system-priority-classes ok', '[+]poststarthook/start-cluster-authentication-info-controller ok', '[+]shutdown ok', 'readyz check passed', '',
    ]);
  });

  it('answer for one check by its path, which / lists', async () => {
    const { paths } = (await server.client.get('/')).json;
    for (const path of ['/healthz/etcd', '/livez/poststarthook/rbac/bootstrap-roles', '/readyz/shutdown']) {
      assert.ok(paths.includes(path), path);
      const { status, body } = await server.client.get(path);
      assert.deepEqual([status, body.toString()], [200, 'ok'], path);
    }
    for (const path of ['/livez/shutdown', '/healthz/', '/healthz/etcd/', '/readyz/poststarthook']) assert.equal((await server.client.get(path)).status, 404, path);
  });
});
