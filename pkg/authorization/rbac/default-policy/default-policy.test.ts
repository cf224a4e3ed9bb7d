import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { FieldErrors, fieldErrorText } from '../../../apimachinery/errors/field-errors.ts';
import { clusterRoleBinding } from '../../../api/rbac/cluster-role-binding/cluster-role-binding.ts';
import { clusterRole } from '../../../api/rbac/cluster-role/cluster-role.ts';
import { roleBinding } from '../../../api/rbac/role-binding/role-binding.ts';
import { role } from '../../../api/rbac/role/role.ts';
import type { ApiObject } from '../../../apimachinery/meta/object.ts';
import type { ClusterRole, ClusterRoleBinding } from '../../../generated/types/rbac-v1.ts';
import { asks, asksPath, person } from '../../authorization-testing.ts';
import type { AuthorizationDecision } from '../../authorizer.ts';
import { rbacAuthorizer } from '../authorizer.ts';
import { PolicyIndex } from '../policy-index.ts';
import { defaultPolicy, nodeRules } from './default-policy.ts';
import { KNOWN_POLICY } from './known-policy-for-test.ts';

/** Of a value as JSON with sorted keys. */
function digest(value: unknown): string {
  const sorted = (_key: string, item: unknown): unknown =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item;
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex').slice(0, 16);
}

describe('the default policy', () => {
  const policy = defaultPolicy();
  const byName = <T extends ApiObject>(objects: readonly T[], name: string): T =>
    objects.find(({ metadata }) => metadata.name === name) ?? assert.fail(`no ${name}`);

  it('is complete, and each object is marked', () => {
    assert.deepEqual(
      [policy.clusterRoles.length, policy.clusterRoleBindings.length, policy.roles.length, policy.roleBindings.length],
      [69, 50, 7, 7],
    );
    for (const { metadata } of [
      ...policy.clusterRoles,
      ...policy.clusterRoleBindings,
      ...policy.roles,
      ...policy.roleBindings,
    ]) {
      assert.deepEqual(
        [metadata.labels?.['kubernetes.io/bootstrapping'], metadata.annotations],
        ['rbac-defaults', { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }],
        metadata.name,
      );
    }
  });

  it('is that of a stock server, rule by rule', () => {
    const kinds = {
      clusterroles: policy.clusterRoles,
      clusterrolebindings: policy.clusterRoleBindings,
      roles: policy.roles,
      rolebindings: policy.roleBindings,
    };
    const lines = Object.entries(kinds).flatMap(([kind, objects]) =>
      objects.map((object) => {
        const { metadata, rules, aggregationRule, roleRef, subjects } = object as Partial<
          ClusterRole & ClusterRoleBinding
        > &
          ApiObject;
        const said = Object.fromEntries(
          Object.entries({ rules, aggregationRule, roleRef, subjects }).filter(
            ([, value]) => value != null && (value as unknown[]).length !== 0,
          ),
        );
        const labels = Object.keys(metadata.labels ?? {})
          .filter((key) => key !== 'kubernetes.io/bootstrapping')
          .sort();
        return [kind, metadata.namespace ?? '-', metadata.name, digest(said), labels.join(',') || '-'].join(' ');
      }),
    );
    assert.deepEqual(lines.sort(), KNOWN_POLICY.trim().split('\n').sort());
  });

  it('is valid, and every binding finds its role', () => {
    const context = {
      now: '',
      user: person(''),
      requestVersion: '',
      dryRun: false,
      policy: { allowPrivileged: false },
    };
    for (const [definition, objects] of [
      [clusterRole, policy.clusterRoles],
      [clusterRoleBinding, policy.clusterRoleBindings],
      [role, policy.roles],
      [roleBinding, policy.roleBindings],
    ] as const) {
      for (const object of objects) {
        const errors = new FieldErrors();
        definition.validate?.(object, errors, context);
        assert.deepEqual(errors.items.map(fieldErrorText), [], object.metadata.name);
      }
    }
    for (const { roleRef } of policy.clusterRoleBindings) byName(policy.clusterRoles, roleRef.name);
    for (const { roleRef, metadata } of policy.roleBindings)
      assert.ok(
        policy.roles.some((r) => r.metadata.name === roleRef.name && r.metadata.namespace === metadata.namespace),
        metadata.name,
      );
  });

  it('aggregates view into edit into admin', () => {
    const key = (name: string): string => `rbac.authorization.k8s.io/aggregate-to-${name}`;
    for (const [name, into] of [
      ['view', 'edit'],
      ['edit', 'admin'],
      ['admin', undefined],
    ] as const) {
      const { metadata, rules, aggregationRule } = byName(policy.clusterRoles, name);
      assert.deepEqual(
        [rules, aggregationRule],
        [null, { clusterRoleSelectors: [{ matchLabels: { [key(name)]: 'true' } }] }],
      );
      assert.equal(into === undefined || metadata.labels?.[key(into)] === 'true', true);
      assert.equal(byName(policy.clusterRoles, `system:aggregate-to-${name}`).metadata.labels?.[key(name)], 'true');
    }
  });

  it('allows all users to read health, and authenticated ones discovery and their own identity', () => {
    const index = new PolicyIndex();
    for (const object of policy.clusterRoles) index.clusterRoles.put(object.metadata.name!, object);
    for (const object of policy.clusterRoleBindings) index.clusterRoleBindings.put(object.metadata.name!, object);
    const allows = (asked: ReturnType<typeof asks>): boolean =>
      (rbacAuthorizer(index).authorize(asked) as AuthorizationDecision).decision === 'allow';
    const [stranger, known, scheduler] = [
      person('system:anonymous', 'system:unauthenticated'),
      person('u', 'system:authenticated'),
      person('system:kube-scheduler', 'system:authenticated'),
    ];
    for (const path of ['/healthz', '/livez', '/readyz', '/version', '/version/'])
      assert.equal(allows(asksPath(stranger, 'get', path)), true, path);
    for (const path of ['/api', '/apis', '/openapi/v2', '/metrics', '/', '/healthz/etcd', '/debug/pprof/'])
      assert.equal(allows(asksPath(stranger, 'get', path)), false, path);
    for (const path of ['/api', '/apis/apps/v1', '/openapi/v3', '/healthz'])
      assert.equal(allows(asksPath(known, 'get', path)), true, path);
    assert.equal(allows(asksPath(known, 'head', '/openapi/v2')), false);
    assert.equal(allows(asks(known, 'create', 'selfsubjectaccessreviews', { apiGroup: 'authorization.k8s.io' })), true);
    assert.equal(allows(asks(known, 'create', 'subjectaccessreviews', { apiGroup: 'authorization.k8s.io' })), false);
    assert.equal(allows(asks(scheduler, 'create', 'pods/binding', { namespace: 'ns' })), true);
    assert.equal(allows(asks(scheduler, 'delete', 'nodes')), false);
  });

  it('has the rules of nodes', () => {
    assert.ok(
      nodeRules().some(({ resources, verbs }) => resources?.includes('nodes/status') && verbs?.includes('patch')),
    );
  });
});
