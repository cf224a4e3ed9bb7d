import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('reviews', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());
  const authorization = (kind: string, body: object, version = 'v1') => (
    api.send('POST', `/apis/authorization.k8s.io/${version}/${kind}`, body)
  );
  const pods = { verb: 'get', resource: 'pods', namespace: 'default' };

  it('say what masters and others may do', async () => {
    const self = await authorization('selfsubjectaccessreviews', { spec: { resourceAttributes: pods } });
    assert.deepEqual([self.status, self.body.kind, self.body.status], [201, 'SelfSubjectAccessReview', { allowed: true }]);
    const nobody = await authorization('subjectaccessreviews', { spec: { user: 'nobody', resourceAttributes: pods } });
    assert.deepEqual(nobody.body.status, { allowed: false });
    const old = await authorization('subjectaccessreviews', { spec: { user: 'x', group: ['system:masters'], resourceAttributes: pods } }, 'v1beta1');
    assert.deepEqual([old.body.status, old.body.spec.group], [{ allowed: true }, ['system:masters']]);
    const local = await authorization('namespaces/default/localsubjectaccessreviews', { spec: { user: 'u', resourceAttributes: pods } });
    assert.deepEqual([local.status, local.body.status], [201, { allowed: false }]);
    const rules = await authorization('selfsubjectrulesreviews', { spec: { namespace: 'default' } });
    assert.deepEqual(rules.body.status.resourceRules, [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
  });

  it('are checked', async () => {
    const empty = await authorization('subjectaccessreviews', { spec: {} });
    assert.deepEqual([empty.status, empty.body.details.group], [422, 'authorization.k8s.io']);
    assert.match(empty.body.message, /^\.authorization\.k8s\.io "" is invalid: \[/);
    assert.equal((await authorization('selfsubjectrulesreviews', { spec: {} })).body.message, 'no namespace on request');
    assert.equal((await api.send('GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews')).status, 405);
  });

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
    assert.deepEqual(all.body.items.map((i: { metadata: { name: string } }) => i.metadata.name), ['controller-manager', 'scheduler', 'etcd-0']);
    const store = await api.send('GET', '/api/v1/componentstatuses/etcd-0');
    assert.deepEqual(store.body.conditions, [{ type: 'Healthy', status: 'True', message: 'ok' }]);
    assert.equal((await api.send('GET', '/api/v1/componentstatuses/none')).body.message, 'componentstatuses "none" not found');
  });

  it('come with no tokens', async () => {
    await api.send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const path = (name: string) => `/api/v1/namespaces/default/serviceaccounts/${name}/token`;
    assert.equal((await api.send('POST', path('robot'), { spec: {} })).body.message, 'the server could not find the requested resource');
    assert.equal((await api.send('POST', path('none'), { spec: {} })).body.message, 'serviceaccounts "none" not found');
  });
});
