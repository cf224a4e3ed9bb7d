import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whoAmI } from '../fixtures/who-am-i.ts';

/**
 * A helper may act as `jane`, in the group `dev`, with the scope `read`, and as accounts of the namespace `default`:
 * nothing more.
 */
describe('impersonation', () => {
  let dir: string;
  let server: TestServer;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-impersonation-'));
    writeFileSync(path.join(dir, 'tokens'), 'helpertoken,helper,1\n');
    server = await startTestServer({
      args: ['--authorization-mode=RBAC', `--token-auth-file=${path.join(dir, 'tokens')}`],
    });
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const post = async (where: string, object: object) =>
      assert.equal((await server.client.post(`${rbac}/${where}`, object)).status, 201);
    await post('clusterroles', {
      metadata: { name: 'act' },
      rules: [
        { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['jane'] },
        { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'], resourceNames: ['dev'] },
        {
          apiGroups: ['authentication.k8s.io'],
          resources: ['userextras/scope'],
          verbs: ['impersonate'],
          resourceNames: ['read'],
        },
        { apiGroups: ['authentication.k8s.io'], resources: ['uids'], verbs: ['impersonate'], resourceNames: ['7'] },
      ],
    });
    await post('clusterroles', {
      metadata: { name: 'ask' },
      rules: [{ apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] }],
    });
    await post('clusterrolebindings', {
      metadata: { name: 'act' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'act' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'helper' }],
    });
    await post('clusterrolebindings', {
      metadata: { name: 'ask' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'ask' },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' }],
    });
    await post('namespaces/default/roles', {
      metadata: { name: 'act' },
      rules: [{ apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] }],
    });
    await post('namespaces/default/rolebindings', {
      metadata: { name: 'act' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'act' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'helper' }],
    });
  });
  after(async () => {
    assert.deepEqual(server.errors, []);
    await server.stop();
    rmSync(dir, { recursive: true });
  });

  const act = (...headers: (readonly [string, string])[]) =>
    whoAmI(server, {
      token: 'helpertoken',
      headers: headers.map(([name, value]) => [`Impersonate-${name}`, value] as const),
    });

  it('works as far as it is allowed', async () => {
    assert.equal((await act()).user?.username, 'helper');
    assert.deepEqual((await act(['User', 'jane'])).user, { username: 'jane', groups: ['system:authenticated'] });
    assert.deepEqual((await act(['User', 'jane'], ['Group', 'dev'], ['Uid', '7'], ['Extra-Scope', 'read'])).user, {
      username: 'jane',
      uid: '7',
      groups: ['dev', 'system:authenticated'],
      extra: { scope: ['read'] },
    });
    assert.deepEqual((await act(['User', 'system:serviceaccount:default:robot'])).user, {
      username: 'system:serviceaccount:default:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
  });

  it('stops at every part that is not', async () => {
    const refused: (readonly [string, string])[][] = [
      [['User', 'admin']],
      [['User', 'system:serviceaccount:kube-system:robot']],
      [
        ['User', 'jane'],
        ['Group', 'system:masters'],
      ],
      [
        ['User', 'jane'],
        ['Group', 'dev'],
        ['Group', 'system:masters'],
      ],
      [
        ['User', 'jane'],
        ['Uid', '8'],
      ],
      [
        ['User', 'jane'],
        ['Extra-Scope', 'write'],
      ],
      [
        ['User', 'jane'],
        ['Extra-Scope', 'read'],
        ['Extra-Scope', 'write'],
      ],
      [
        ['User', 'jane'],
        ['Extra-Other', 'read'],
      ],
      [
        ['User', 'jane'],
        ['Group', 'dev,system:masters'],
      ],
      [
        ['User', 'system:serviceaccount:default:robot'],
        ['Group', 'system:masters'],
      ],
    ];
    for (const headers of refused) {
      const { status, body } = await act(...headers);
      assert.deepEqual([status, body.reason], [403, 'Forbidden'], JSON.stringify(headers));
      assert.match(body.message, /User "helper" cannot impersonate resource/);
    }
  });

  it('never grants the rights of the sender', async () => {
    const { status } = await server.client.send('GET', '/api/v1/namespaces/kube-system/secrets', {
      headers: { 'impersonate-user': 'jane' },
    });
    assert.equal(status, 403);
    assert.equal(
      (
        await server.client.send('GET', '/api/v1/namespaces/kube-system/secrets', {
          headers: { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' },
        })
      ).status,
      200,
    );
  });

  it('cannot act in turn as another', async () => {
    const { body } = await act(['User', 'jane'], ['User', 'admin'], ['Group', 'dev']);
    assert.notEqual(body.status?.userInfo?.username, 'admin');
  });

  it('does not work without a user, nor unauthenticated', async () => {
    assert.equal((await act(['Group', 'dev'])).status, 500);
    assert.equal((await whoAmI(server, { headers: [['Impersonate-User', 'jane']] })).status, 403);
    assert.equal((await whoAmI(server, { token: 'wrong', headers: [['Impersonate-User', 'jane']] })).status, 401);
  });
});
