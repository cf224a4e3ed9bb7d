import assert from 'node:assert/strict';
import { saying } from '../../authorization/authorization-testing.ts';
import { UndecidedError } from '../../authorization/union/authorizer.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../server-testing.ts';
import { accessReviewStatus } from './access-review-status.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const pods = { verb: 'get', resource: 'pods', namespace: 'default' };

describe('access reviews', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
    await api.send('POST', `${rbac}/namespaces/default/roles`, {
      metadata: { name: 'reader' },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] }],
    });
    const subjects = [
      { kind: 'User', name: 'alice' },
      { kind: 'ServiceAccount', name: 'robot', namespace: 'default' },
    ];
    await api.send('POST', `${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: 'readers' },
      roleRef: { kind: 'Role', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' },
      subjects,
    });
    await api.server.storeOf('rolebindings.rbac.authorization.k8s.io').cacher.fresh();
  });
  after(() => api.stop());
  const ask = (kind: string, spec: object, headers: Record<string, string> = {}, version = 'v1'): Promise<TestAnswer> =>
    api.send('POST', `/apis/authorization.k8s.io/${version}/${kind}`, { spec }, headers);
  const asAlice = { 'impersonate-user': 'alice', 'impersonate-group': 'system:authenticated' };
  const reason = 'RBAC: allowed by RoleBinding "readers/default" of Role "reader" to User "alice"';

  it('report what a user may do, and why', async () => {
    const named = { ...pods, name: 'p' };
    const other = await ask('subjectaccessreviews', { user: 'alice', resourceAttributes: named });
    assert.deepEqual(
      [other.status, other.body.kind, other.body.status],
      [201, 'SubjectAccessReview', { allowed: true, reason }],
    );
    assert.deepEqual((await ask('subjectaccessreviews', { user: 'alice', resourceAttributes: pods })).body.status, {
      allowed: false,
    });
    assert.deepEqual(
      (await ask('subjectaccessreviews', { user: 'system:serviceaccount:default:robot', resourceAttributes: named }))
        .body.status.allowed,
      true,
    );
    assert.deepEqual((await ask('selfsubjectaccessreviews', { resourceAttributes: named }, asAlice)).body.status, {
      allowed: true,
      reason,
    });
    assert.deepEqual(
      (await ask('namespaces/default/localsubjectaccessreviews', { user: 'alice', resourceAttributes: named })).body
        .status,
      { allowed: true, reason },
    );
    assert.deepEqual(
      (await ask('selfsubjectaccessreviews', { nonResourceAttributes: { verb: 'get', path: '/metrics' } }, asAlice))
        .body.status,
      { allowed: false },
    );
  });

  it('read the groups of both versions', async () => {
    const masters = ['system:masters'];
    assert.deepEqual(
      (await ask('subjectaccessreviews', { user: 'x', groups: masters, resourceAttributes: pods })).body.status,
      { allowed: true },
    );
    const old = await ask(
      'subjectaccessreviews',
      { user: 'x', group: masters, resourceAttributes: pods },
      {},
      'v1beta1',
    );
    assert.deepEqual([old.body.status, old.body.spec.group], [{ allowed: true }, masters]);
  });

  it('list what the asker may do in a namespace', async () => {
    const { body } = await ask('selfsubjectrulesreviews', { namespace: 'default' }, asAlice);
    assert.deepEqual(body.spec, {});
    const named = await api.send(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      { metadata: { name: 'x', labels: { a: 'b' } }, spec: { namespace: 'default' } },
      asAlice,
    );
    assert.deepEqual([named.status, named.body.metadata], [201, {}]);
    assert.ok(
      body.status.resourceRules.some(
        (rule: object) =>
          JSON.stringify(rule) === '{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["p"]}',
      ),
      JSON.stringify(body.status),
    );
    assert.ok(
      body.status.nonResourceRules.some(({ nonResourceURLs }: { nonResourceURLs: string[] }) =>
        nonResourceURLs.includes('/healthz'),
      ),
    );
    assert.equal(body.status.incomplete, false);
    const elsewhere = await ask('selfsubjectrulesreviews', { namespace: 'kube-system' }, asAlice);
    assert.ok(!JSON.stringify(elsewhere.body.status).includes('pods'));
  });

  it('are themselves authorized', async () => {
    const refused = await ask('subjectaccessreviews', { user: 'bob', resourceAttributes: pods }, asAlice);
    assert.deepEqual(
      [refused.status, refused.body.message],
      [
        403,
        'subjectaccessreviews.authorization.k8s.io is forbidden: User "alice" cannot create resource "subjectaccessreviews" in API group "authorization.k8s.io" at the cluster scope',
      ],
    );
  });

  it('are checked', async () => {
    const empty = await ask('subjectaccessreviews', {});
    assert.deepEqual([empty.status, empty.body.details.group], [422, 'authorization.k8s.io']);
    assert.match(empty.body.message, /^\.authorization\.k8s\.io "" is invalid: \[/);
    assert.equal((await ask('selfsubjectrulesreviews', {})).body.message, 'no namespace on request');
    assert.equal((await api.send('GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews')).status, 405);
  });

  it('have no metadata but what servers set, which counts for nothing', async () => {
    const review = (metadata: object): Promise<TestAnswer> =>
      api.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        metadata,
        spec: { user: 'alice', resourceAttributes: pods },
      });
    const accepted = await review({
      namespace: 'default',
      uid: 'u',
      selfLink: '/x',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 3,
    });
    assert.deepEqual([accepted.status, accepted.body.metadata], [201, {}]);
    for (const metadata of [
      { name: 'x' },
      { generateName: 'x' },
      { labels: { a: 'b' } },
      { generation: 2 },
      { resourceVersion: '1' },
    ]) {
      const refused = await review(metadata);
      assert.equal(refused.status, 422, JSON.stringify(metadata));
      assert.match(refused.body.details.causes[0].message, /: must be empty$/);
    }
  });

  it('say what kept the authorizers from deciding', async () => {
    const [user, asked] = [{ name: 'u', groups: [] }, { resourceAttributes: pods }];
    assert.deepEqual(await accessReviewStatus(saying('deny', 'no'), asked, user), {
      allowed: false,
      denied: true,
      reason: 'no',
    });
    assert.deepEqual(
      await accessReviewStatus(saying(new UndecidedError(['down'], 'No policy matched.')), asked, user),
      { allowed: false, reason: 'No policy matched.', evaluationError: 'down' },
    );
  });
});
