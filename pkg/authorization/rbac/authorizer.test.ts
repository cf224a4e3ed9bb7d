import assert from 'node:assert/strict';
import type { AuthorizationAttributes, AuthorizationDecision } from '../authorizer.ts';
import { asks, asksPath, person } from '../authorization-testing.ts';
import { rbacAuthorizer } from './authorizer.ts';
import { PolicyIndex } from './policy-index.ts';
import { addBinding, addRole, group, rule, serviceAccount, user } from './policy-testing.ts';

const alice = person('alice', 'staff', 'system:authenticated');
const robot = person('system:serviceaccount:ns:robot', 'system:serviceaccounts', 'system:serviceaccounts:ns');

describe('mode RBAC', () => {
  let index: PolicyIndex;
  beforeEach(() => {
    index = new PolicyIndex();
  });
  const decide = (asked: AuthorizationAttributes): AuthorizationDecision =>
    rbacAuthorizer(index).authorize(asked) as AuthorizationDecision;
  const allows = (asked: AuthorizationAttributes): boolean => decide(asked).decision === 'allow';

  it('names the binding that allows a request', () => {
    addRole(index, 'reader', [rule('get', 'pods')], 'ns');
    addRole(index, 'lister', [rule('list', 'pods')]);
    addBinding(index, 'b', 'Role/reader', [user('alice')], 'ns');
    addBinding(index, 'c', 'ClusterRole/lister', [serviceAccount('robot')], 'ns');
    addBinding(index, 'd', 'ClusterRole/lister', [group('staff')]);
    const reasons = [
      asks(alice, 'get', 'pods', { namespace: 'ns' }),
      asks(robot, 'list', 'pods', { namespace: 'ns' }),
      asks(alice, 'list', 'pods'),
    ].map((asked) => decide(asked).reason);
    assert.deepEqual(reasons, [
      'RBAC: allowed by RoleBinding "b/ns" of Role "reader" to User "alice"',
      'RBAC: allowed by RoleBinding "c/ns" of ClusterRole "lister" to ServiceAccount "robot/ns"',
      'RBAC: allowed by ClusterRoleBinding "d" of ClusterRole "lister" to Group "staff"',
    ]);
    assert.deepEqual(decide(asks(alice, 'delete', 'pods', { namespace: 'ns' })), {
      decision: 'no-opinion',
      reason: '',
    });
  });

  it('keeps a role binding to its namespace', () => {
    addRole(index, 'all', [rule('*', '*', '*')]);
    addBinding(index, 'b', 'ClusterRole/all', [user('alice')], 'ns');
    assert.equal(allows(asks(alice, 'get', 'pods', { namespace: 'ns' })), true);
    for (const namespace of ['', 'other', 'ns2', 'n'])
      assert.equal(allows(asks(alice, 'get', 'pods', { namespace })), false, namespace);
    assert.equal(allows(asksPath(alice, 'get', '/metrics')), false);
  });

  it('finds roles only in its own namespace', () => {
    addRole(index, 'r', [rule('get', 'pods')], 'other');
    addBinding(index, 'b', 'Role/r', [user('alice')], 'ns');
    assert.deepEqual(decide(asks(alice, 'get', 'pods', { namespace: 'ns' })), {
      decision: 'no-opinion',
      reason: 'RBAC: role.rbac.authorization.k8s.io "r" not found',
    });
  });

  it('names missing roles', () => {
    addBinding(index, 'a', 'ClusterRole/x', [user('alice')]);
    assert.equal(
      decide(asks(alice, 'get', 'pods')).reason,
      'RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
    );
    addBinding(index, 'b', 'ClusterRole/y', [group('staff'), group('system:authenticated')]);
    assert.equal(
      decide(asks(alice, 'get', 'pods')).reason,
      'RBAC: [clusterrole.rbac.authorization.k8s.io "x" not found, clusterrole.rbac.authorization.k8s.io "y" not found]',
    );
    addRole(index, 'y', [rule('get', 'pods')]);
    assert.equal(allows(asks(alice, 'get', 'pods')), true);
  });

  it('distinguishes verbs, groups, resources, subresources and names', () => {
    addRole(index, 'r', [
      rule('get', 'pods pods/log', ''),
      rule('update', '*/scale', '*'),
      rule('get', 'secrets', '', 'mine'),
      rule('list', '*', 'apps'),
    ]);
    addBinding(index, 'b', 'ClusterRole/r', [user('alice')]);
    const cases: readonly (readonly [boolean, AuthorizationAttributes])[] = [
      [true, asks(alice, 'get', 'pods/log')],
      [false, asks(alice, 'get', 'pods/exec')],
      [false, asks(alice, 'get', 'pods', { apiGroup: 'apps' })],
      [true, asks(alice, 'update', 'deployments/scale', { apiGroup: 'apps' })],
      [false, asks(alice, 'update', 'deployments', { apiGroup: 'apps' })],
      [false, asks(alice, 'update', 'deployments/scaled', { apiGroup: 'apps' })],
      [false, asks(alice, 'update', 'scale')],
      [true, asks(alice, 'get', 'secrets', { name: 'mine' })],
      [false, asks(alice, 'get', 'secrets', { name: 'other' })],
      [false, asks(alice, 'get', 'secrets')],
      [true, asks(alice, 'list', 'deployments/status', { apiGroup: 'apps' })],
      [false, asks(alice, '', 'pods')],
      [false, asks(alice, 'GET', 'pods')],
    ];
    for (const [expected, asked] of cases) assert.equal(allows(asked), expected, JSON.stringify(asked));
  });

  it('reads stars at the end of paths', () => {
    addRole(index, 'r', [{ verbs: ['get'], nonResourceURLs: ['/api/*', '/version'] }]);
    addBinding(index, 'b', 'ClusterRole/r', [user('alice')]);
    const paths = (expected: boolean, ...urls: string[]): void =>
      urls.forEach((url) => assert.equal(allows(asksPath(alice, 'get', url)), expected, url));
    paths(true, '/api/', '/api/v1', '/version');
    paths(false, '/api', '/versions', '/version/', '/metrics', '');
    assert.equal(allows(asksPath(alice, 'head', '/version')), false);
  });

  it('drops what is deleted and what changed', () => {
    addRole(index, 'r', [rule('get', 'pods')]);
    addBinding(index, 'b', 'ClusterRole/r', [user('alice'), user('bob')]);
    addBinding(index, 'b', 'ClusterRole/r', [user('bob')]);
    assert.equal(allows(asks(alice, 'get', 'pods')), false);
    addBinding(index, 'c', 'ClusterRole/r', [user('alice')]);
    index.clusterRoleBindings.remove('bindings/b');
    assert.equal(allows(asks(alice, 'get', 'pods')), true);
    assert.equal(allows(asks(person('bob'), 'get', 'pods')), false);
    addRole(index, 'r', [rule('list', 'pods')]);
    assert.equal(allows(asks(alice, 'get', 'pods')), false);
    index.clusterRoles.remove('roles/r');
    assert.equal(allows(asks(alice, 'list', 'pods')), false);
    index.clusterRoleBindings.clear();
    assert.equal(decide(asks(alice, 'list', 'pods')).reason, '');
  });

  it('treats names from clients as data', () => {
    const odd = person('__proto__', 'constructor');
    addRole(index, '__proto__', [rule('get', 'constructor')]);
    assert.equal(allows(asks(odd, 'get', 'constructor')), false);
    addBinding(index, 'toString', 'ClusterRole/__proto__', [group('constructor')]);
    assert.equal(allows(asks(odd, 'get', 'constructor')), true);
    assert.equal(allows(asks(odd, 'toString', 'constructor')), false);
  });

  it('does not confuse subjects', () => {
    addRole(index, 'r', [rule('get', 'pods')]);
    addBinding(index, 'a', 'ClusterRole/r', [serviceAccount('robot', 'ns')]);
    addBinding(index, 'b', 'ClusterRole/r', [serviceAccount('homeless')]);
    addBinding(index, 'c', 'ClusterRole/r', [{ kind: 'Robot', name: 'alice' }]);
    assert.equal(allows(asks(robot, 'get', 'pods')), true);
    for (const name of [
      'robot',
      'alice',
      'system:serviceaccount::homeless',
      'system:serviceaccount:other:robot',
      'system:serviceaccount:ns:robot:x',
    ]) {
      assert.equal(allows(asks(person(name), 'get', 'pods')), false, name);
    }
    addBinding(index, 'd', 'ClusterRole/r', [user('staff')]);
    assert.equal(allows(asks(alice, 'get', 'pods')), false);
  });

  it('lists rules by the names of their bindings, each role once', async () => {
    addRole(index, 'one', [rule('get', 'pods'), { verbs: ['get'], nonResourceURLs: ['/x'] }]);
    addRole(index, 'two', [rule('get', 'secrets', '', 'mine')], 'ns');
    addBinding(index, 'z', 'ClusterRole/one', [group('staff')]);
    addBinding(index, 'a', 'ClusterRole/one', [user('alice')]);
    addBinding(index, 'b', 'Role/two', [user('alice')], 'ns');
    addBinding(index, 'm', 'ClusterRole/none', [user('alice')]);
    assert.deepEqual(await rbacAuthorizer(index).rulesFor(alice, 'ns'), {
      resourceRules: [
        { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] },
      ],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      incomplete: false,
      evaluationError: 'clusterrole.rbac.authorization.k8s.io "none" not found',
    });
  });

  it('lists a limited number of rules and reports that there are more', async () => {
    addRole(
      index,
      'large',
      Array.from({ length: 40_000 }, (_, i) => rule('get', 'pods', '', `p${i}`)),
    );
    addBinding(index, 'a', 'ClusterRole/large', [user('alice')]);
    const { resourceRules, incomplete, evaluationError } = await rbacAuthorizer(index).rulesFor(alice, 'ns');
    assert.deepEqual(
      [resourceRules.length, incomplete, evaluationError],
      [10_000, true, 'only 10000 of 40000 rules are listed'],
    );
  });
});
