import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('checkMethod', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());

  const answers: readonly (readonly [code: number, method: string, path: string])[] = [
    [405, 'POST', '/api/v1/configmaps'],
    [405, 'DELETE', '/api/v1/configmaps'],
    [404, 'GET', '/api/v1/configmaps/a'],
    [404, 'GET', '/api/v1/pods/a/status'],
    [404, 'POST', '/api/v1/bindings'],
    [405, 'POST', '/api/v1/namespaces/default/configmaps/a'],
    [405, 'PUT', '/api/v1/namespaces/default/configmaps'],
    [405, 'HEAD', '/api/v1/namespaces/default/configmaps'],
    [405, 'GET', '/api/v1/namespaces/default/bindings'],
    [404, 'GET', '/api/v1/namespaces/default/bindings/a'],
    [405, 'GET', '/apis/authentication.k8s.io/v1/tokenreviews'],
    [404, 'GET', '/apis/authentication.k8s.io/v1/tokenreviews/a'],
    [404, 'POST', '/apis/authorization.k8s.io/v1/localsubjectaccessreviews'],
    [404, 'GET', '/api/v1/proxy/nodes/n/metrics'],
    [405, 'POST', '/api/v1/componentstatuses'],
    [405, 'PUT', '/api/v1/componentstatuses/a'],
    [404, 'GET', '/api/v1/watch/componentstatuses'],
    [405, 'DELETE', '/api/v1/watch/namespaces/default/configmaps'],
    [404, 'GET', '/api/v1/watch/namespaces/default/pods/a/status'],
    [405, 'DELETE', '/api/v1/namespaces/default/pods/a/status'],
    [405, 'DELETE', '/api/v1/namespaces'],
    [405, 'POST', '/api/v1'],
    [405, 'POST', '/api'],
    [405, 'DELETE', '/apis/apps/v1'],
    [405, 'DELETE', '/version'],
    [200, 'POST', '/apis'],
    [200, 'POST', '/apis/apps'],
    [404, 'POST', '/apis/none'],
  ];
  for (const [code, method, path] of answers) {
    it(`answers ${code} to ${method} ${path}`, async () =>
      assert.equal(
        (await api.send(method, path, method === 'GET' || method === 'HEAD' ? undefined : {})).status,
        code,
      ));
  }

  it('reads one object where a watch of it is asked for', async () => {
    assert.equal((await api.send('GET', '/api/v1/namespaces/default?watch=true')).body.kind, 'Namespace');
  });
});
