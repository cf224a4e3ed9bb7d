import assert from 'node:assert/strict';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import { RBAC_GROUP } from '../../api/rbac/rbac-group.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '../../generated/types/rbac-v1.ts';
import { person } from '../authorization-testing.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { UndecidedError } from '../union/authorizer.ts';
import { EscalationChecks } from './escalation.ts';
import { PolicyIndex } from './policy-index.ts';
import { addBinding, addRole, rule, user } from './policy-testing.ts';

const alice = person('alice', 'staff', 'system:authenticated');
const held = 'is attempting to grant RBAC permissions not currently held:';

function role(rules: PolicyRule[], more: Partial<ClusterRole> = {}, name = 'new'): ClusterRole {
  return { metadata: { name }, rules, ...more };
}

describe('escalation checks', () => {
  let index: PolicyIndex;
  let asked: AuthorizationAttributes[];
  let permitted: (attributes: AuthorizationAttributes) => boolean;
  let isFresh: boolean;
  beforeEach(() => {
    index = new PolicyIndex();
    asked = [];
    permitted = () => false;
    isFresh = true;
  });
  const checks = (): EscalationChecks =>
    new EscalationChecks({
      index,
      fresh: async () => isFresh,
      authorizer: {
        name: 'test',
        rulesFor: () => assert.fail(),
        authorize: (attributes) => {
          asked.push(attributes);
          return { decision: permitted(attributes) ? 'allow' : 'no-opinion', reason: '' };
        },
      },
    });
  const message = async (check: Promise<void>): Promise<string | undefined> => {
    try {
      await check;
      return undefined;
    } catch (error) {
      assert.ok(error instanceof StatusError, String(error));
      return `${error.code} ${error.message}`;
    }
  };
  const writeRole = (
    object: ClusterRole,
    old?: ClusterRole,
    who: UserInfo = alice,
    namespace = '',
  ): Promise<string | undefined> =>
    message(
      checks().checkRole({
        user: who,
        resource: { group: RBAC_GROUP, resource: namespace === '' ? 'clusterroles' : 'roles' },
        namespace,
        requestName: old === undefined ? '' : object.metadata.name!,
        object,
        old,
      }),
    );
  const bind = (
    kind: string,
    name: string,
    namespace: string,
    old?: RoleBinding,
    more: Partial<RoleBinding> = {},
  ): Promise<string | undefined> =>
    message(
      checks().checkBinding({
        user: alice,
        resource: { group: RBAC_GROUP, resource: 'rolebindings' },
        namespace,
        requestName: '',
        old,
        object: {
          metadata: { name: 'b', namespace },
          roleRef: { apiGroup: RBAC_GROUP, kind, name },
          subjects: [],
          ...more,
        } as RoleBinding,
      }),
    );

  it('allow users to write the rights that they have', async () => {
    addRole(index, 'own', [
      rule('get list', 'pods pods/log'),
      rule('*', '*/scale', 'apps'),
      rule('get', 'secrets', '', 'a b'),
      { verbs: ['get'], nonResourceURLs: ['/x/*'] },
    ]);
    addBinding(index, 'b', 'ClusterRole/own', [user('alice')]);
    for (const rules of [
      [],
      [rule('get', 'pods')],
      [rule('list get', 'pods/log pods')],
      [rule('update', 'deployments/scale', 'apps')],
      [rule('get', 'secrets', '', 'b')],
      [rule('get', 'pods', '', 'p')],
      [{ verbs: ['get'], nonResourceURLs: ['/x/y', '/x/*'] }],
    ])
      assert.equal(await writeRole(role(rules)), undefined, JSON.stringify(rules));
    for (const rules of [
      [rule('watch', 'pods')],
      [rule('*', 'pods')],
      [rule('get', '*')],
      [rule('get', 'pods', 'apps')],
      [rule('get', 'pods/exec')],
      [rule('get', 'secrets')],
      [rule('get', 'secrets', '', 'a c')],
      [rule('get', 'deployments/scale', 'batch')],
      [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      [{ verbs: ['get'], nonResourceURLs: ['*'] }],
    ])
      assert.match(
        (await writeRole(role(rules))) ?? '',
        /^403 clusterroles\.rbac\.authorization\.k8s\.io "new" is forbidden: user "alice"/,
        JSON.stringify(rules),
      );
  });

  it('take no time for rules of billions of combinations, unless they are held as a whole', async () => {
    const words = Array.from({ length: 2000 }, (_, i) => `w${i}`);
    const huge = { verbs: words, apiGroups: words, resources: words, resourceNames: words };
    assert.equal(
      await writeRole(role([huge])),
      `403 clusterroles.rbac.authorization.k8s.io "new" is forbidden: user "alice" (groups=["staff" "system:authenticated"]) is attempting to grant RBAC permissions that cannot be compared with those currently held: more than 50000 combinations of groups, resources, names and verbs`,
    );
    addRole(index, 'own', [rule('*', '*', '*')]);
    addBinding(index, 'b', 'ClusterRole/own', [user('alice')]);
    assert.equal(await writeRole(role([huge])), undefined);
  });

  it('list no more than a thousand missing rules', async () => {
    const lines = (await writeRole(
      role([rule('get', Array.from({ length: 1500 }, (_, i) => `r${i}`).join(' '))]),
    ))!.split('\n');
    assert.deepEqual([lines.length, lines.at(-1)], [1002, 'and 500 more']);
  });

  it('name what is missing, verbs of one resource together', async () => {
    addRole(index, 'own', [rule('get', 'pods')]);
    addBinding(index, 'b', 'ClusterRole/own', [user('alice')]);
    const text = await writeRole(
      role([
        rule('get list watch', 'pods secrets', ' apps'),
        rule('get', 'nodes', '', 'a b'),
        { verbs: ['get', 'post'], nonResourceURLs: ['/x'] },
      ]),
    );
    assert.deepEqual(text?.split('\n'), [
      `403 clusterroles.rbac.authorization.k8s.io "new" is forbidden: user "alice" (groups=["staff" "system:authenticated"]) ${held}`,
      '{APIGroups:[""], Resources:["nodes"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["nodes"], ResourceNames:["b"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list" "watch"]}',
      '{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["post"]}',
    ]);
  });

  it('name missing roles as well', async () => {
    addBinding(index, 'b', 'ClusterRole/none', [user('alice')]);
    assert.match(
      (await writeRole(role([rule('get', 'pods')]))) ?? '',
      /Verbs:\["get"\]\}; resolution errors: \[clusterroles\.rbac\.authorization\.k8s\.io "none" not found\]$/,
    );
  });

  it('count only rights in the namespace', async () => {
    addRole(index, 'own', [rule('get', 'pods')]);
    addBinding(index, 'b', 'ClusterRole/own', [user('alice')], 'ns');
    assert.equal(await writeRole(role([rule('get', 'pods')]), undefined, alice, 'ns'), undefined);
    assert.match((await writeRole(role([rule('get', 'pods')]), undefined, alice, 'other')) ?? '', /^403 roles/);
    assert.match((await writeRole(role([rule('get', 'pods')]))) ?? '', /^403 clusterroles/);
  });

  it('check the verb escalate', async () => {
    permitted = ({ verb }) => verb === 'escalate';
    assert.equal(await writeRole(role([rule('*', '*', '*')]), role([]), alice, 'ns'), undefined);
    assert.deepEqual(asked, [
      {
        user: alice,
        verb: 'escalate',
        isResource: true,
        apiGroup: RBAC_GROUP,
        apiVersion: '*',
        resource: 'roles',
        subresource: '',
        namespace: 'ns',
        name: 'new',
        path: '',
      },
    ]);
  });

  it('let administrators pass without a check', async () => {
    assert.equal(await writeRole(role([rule('*', '*', '*')]), undefined, person('root', 'system:masters')), undefined);
    assert.deepEqual(asked, []);
  });

  it('let a garbage collector change objects that are being deleted', async () => {
    const old = role([rule('*', '*', '*')], {
      metadata: {
        name: 'new',
        finalizers: ['x'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }],
      },
    });
    assert.equal(await writeRole(role(old.rules!), old), undefined);
    assert.match(
      (await writeRole(role(old.rules!, { metadata: { name: 'new', labels: { a: 'b' } } }), old)) ?? '',
      /^403/,
    );
  });

  it('allow aggregation only to users with all rights', async () => {
    addRole(index, 'all', [rule('*', '*', '*'), { verbs: ['*'], nonResourceURLs: ['*'] }]);
    const aggregating = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
    const refusal =
      '403 clusterroles.rbac.authorization.k8s.io "new" is forbidden: must have cluster-admin privileges to use the aggregationRule';
    assert.equal(await writeRole(role([], aggregating)), refusal);
    assert.equal(await writeRole(role([]), role([], aggregating)), refusal);
    assert.equal(
      await writeRole(
        role([], { ...aggregating, metadata: { name: 'new', labels: { x: 'y' } } }),
        role([], aggregating),
      ),
      refusal,
    );
    addBinding(index, 'b', 'ClusterRole/all', [user('alice')]);
    assert.equal(await writeRole(role([], aggregating)), undefined);
  });

  it('allow users to bind roles that they hold, and those that they may bind', async () => {
    addRole(index, 'own', [rule('get', 'pods')]);
    addRole(index, 'more', [rule('get', 'secrets')]);
    addRole(index, 'local', [rule('get', 'pods')], 'ns');
    addBinding(index, 'b', 'ClusterRole/own', [user('alice')]);
    assert.equal(await bind('ClusterRole', 'own', 'ns'), undefined);
    assert.equal(await bind('Role', 'local', 'ns'), undefined);
    assert.match(
      (await bind('ClusterRole', 'more', 'ns')) ?? '',
      new RegExp(
        `^403 rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "alice" .* ${held}\n{APIGroups:\\[""\\], Resources:\\["secrets"\\], Verbs:\\["get"\\]}$`,
      ),
    );
    permitted = ({ verb, name }) => verb === 'bind' && name === 'more';
    assert.equal(await bind('ClusterRole', 'more', 'ns'), undefined);
    const { resource, namespace, apiGroup } = asked.at(-1)!;
    assert.deepEqual([resource, namespace, apiGroup], ['clusterroles', 'ns', RBAC_GROUP]);
  });

  it('find no role to bind where there is none', async () => {
    addRole(index, 'local', [], 'ns');
    assert.equal(
      await bind('ClusterRole', 'none', 'ns'),
      '404 clusterroles.rbac.authorization.k8s.io "none" not found',
    );
    assert.equal(await bind('Role', 'local', 'other'), '404 roles.rbac.authorization.k8s.io "local" not found');
    assert.equal(await bind('Thing', 'local', 'ns'), '500 unsupported role reference kind: "Thing"');
  });

  it('refuse while roles are not known to be current', async () => {
    isFresh = false;
    assert.match((await writeRole(role([rule('get', 'pods')]))) ?? '', /^503/);
    assert.match((await bind('ClusterRole', 'x', '')) ?? '', /^503/);
  });

  it('decide by the rules where no authorizer can', async () => {
    permitted = () => {
      throw new UndecidedError(['down'], '');
    };
    assert.equal(await writeRole(role([])), undefined);
    assert.match((await writeRole(role([rule('get', 'pods')]))) ?? '', /^403/);
  });
});
