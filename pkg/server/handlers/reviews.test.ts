import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('reviews', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());

  it('say who somebody is', async () => {
    const who = await api.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    assert.deepEqual([who.status, who.body.status.userInfo.username, who.body.status.userInfo.groups.includes('system:masters')], [201, 'admin', true]);
    const review = (token: string) => api.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    assert.deepEqual((await review('nope')).body.status, { user: {}, error: 'invalid bearer token' });
    const known = (await review(api.token)).body.status;
    assert.deepEqual([known.authenticated, known.user.username], [true, 'admin']);
    assert.equal((await review('')).status, 400);
  });

  it('of the parts of the control plane', async () => {
    const all = await api.send('GET', '/api/v1/componentstatuses');
    assert.deepEqual(all.body.metadata, {});
    assert.deepEqual(all.body.items.map((i: { metadata: { name: string } }) => i.metadata.name), ['controller-manager', 'scheduler', 'etcd-0']);
    const store = await api.send('GET', '/api/v1/componentstatuses/etcd-0');
    assert.deepEqual(store.body.conditions, [{ type: 'Healthy', status: 'True', message: 'ok' }]);
    assert.equal((await api.send('GET', '/api/v1/componentstatuses/none')).body.message, 'Component not found: none');
  });
});
