import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('reviews', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());

  it('report the user', async () => {
    const who = await api.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    assert.deepEqual(
      [who.status, who.body.status.userInfo.username, who.body.status.userInfo.groups.includes('system:masters')],
      [201, 'admin', true],
    );
    const review = (token: string) =>
      api.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    assert.deepEqual((await review('nope')).body.status, { user: {}, error: 'invalid bearer token' });
    const known = (await review(api.token)).body.status;
    assert.deepEqual([known.authenticated, known.user.username], [true, 'admin']);
    assert.equal((await review('')).status, 400);
  });

  it('believe nothing that a client says of the object', async () => {
    const metadata = {
      name: 'x',
      labels: { a: 'b' },
      uid: 'made-up',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
    };
    const post = async (path: string, spec: object) =>
      (await api.send('POST', `/apis/${path}`, { metadata, spec })).body.metadata;
    assert.deepEqual(await post('authentication.k8s.io/v1/tokenreviews', { token: api.token }), {
      name: 'x',
      labels: { a: 'b' },
    });
    const { creationTimestamp, ...more } = await post('authentication.k8s.io/v1/selfsubjectreviews', {});
    assert.deepEqual([Date.parse(creationTimestamp) > Date.parse(metadata.creationTimestamp), more], [true, {}]);
  });

  it('of the parts of the control plane', async () => {
    const all = await api.send('GET', '/api/v1/componentstatuses');
    assert.deepEqual(all.body.metadata, {});
    assert.deepEqual(
      all.body.items.map((i: { metadata: { name: string } }) => i.metadata.name),
      ['controller-manager', 'scheduler', 'etcd-0'],
    );
    const store = await api.send('GET', '/api/v1/componentstatuses/etcd-0');
    assert.deepEqual(store.body.conditions, [{ type: 'Healthy', status: 'True', message: 'ok' }]);
    const none = await api.send('GET', '/api/v1/componentstatuses/0');
    assert.deepEqual(
      [none.status, none.body.reason, none.body.message],
      [404, 'NotFound', 'componentstatuses "0" not found'],
    );
  });
});
