import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../kind-testing.ts';
import { clusterRoleBinding } from './cluster-role-binding/cluster-role-binding.ts';
import { clusterRole } from './cluster-role/cluster-role.ts';
import { RBAC_GROUP } from './rbac-group.ts';
import { roleBinding } from './role-binding/role-binding.ts';
import { role } from './role/role.ts';

const V1 = `${RBAC_GROUP}/v1`;
const ALPHA = `${RBAC_GROUP}/v1alpha1`;
const metadata = { name: 'r' };

describe('roles', () => {
  it('need verbs, and groups and resources or URLs', () => {
    assert.deepEqual(create(role, V1, { metadata, rules: [{ verbs: [], resources: ['pods'] }] }).texts, [
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    ]);
    assert.deepEqual(create(clusterRole, V1, { metadata, rules: [{ verbs: ['get'], apiGroups: [''] }] }).texts, [
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ]);
  });

  it('have URLs only in the whole cluster, and nothing else then', () => {
    const urls = { verbs: ['get'], nonResourceURLs: ['/x'] };
    assert.deepEqual(create(clusterRole, V1, { metadata, rules: [urls] }).texts, []);
    assert.deepEqual(create(role, V1, { metadata, rules: [urls] }).texts, [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ]);
    assert.deepEqual(create(clusterRole, V1, { metadata, rules: [{ ...urls, resources: ['pods'] }] }).texts, [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ]);
  });

  it('aggregate by selectors', () => {
    assert.deepEqual(create(clusterRole, V1, { metadata, aggregationRule: {} }).texts, [
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ]);
    const selectors = [{ matchLabels: { 'bad key!': 'x' } }];
    const [first, ...others] = create(clusterRole, V1, {
      metadata,
      aggregationRule: { clusterRoleSelectors: selectors },
    }).texts;
    assert.match(first!, /^aggregationRule\.clusterRoleSelectors\[0\]\.matchLabels: Invalid value: "bad key!"/);
    assert.deepEqual(others, ['aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.']);
  });

  it('take names that are no DNS names', () => {
    assert.deepEqual(create(role, V1, { metadata: { name: 'system:controller:x' }, rules: [] }).texts, []);
    assert.deepEqual(create(role, V1, { metadata: { name: 'a/b' }, rules: [] }).texts, [
      'metadata.name: Invalid value: "a/b": may not contain \'/\'',
    ]);
  });
});

describe('bindings', () => {
  const roleRef = { kind: 'ClusterRole', name: 'view' };
  const subjects = [
    { kind: 'User', name: 'u' },
    { kind: 'Group', name: 'g' },
    { kind: 'ServiceAccount', name: 's', namespace: 'n' },
  ];

  it('fill in groups', () => {
    for (const version of [V1, `${RBAC_GROUP}/v1beta1`]) {
      const { object } = create(roleBinding, version, { metadata, roleRef, subjects });
      assert.equal(object.roleRef.apiGroup, RBAC_GROUP);
      assert.deepEqual(
        object.subjects.map((s: { apiGroup?: string }) => s.apiGroup),
        [RBAC_GROUP, RBAC_GROUP, undefined],
      );
      assert.deepEqual(cells(roleBinding, object), ['r', 'ClusterRole/view', '0s', 'u', 'g', 'n/s']);
    }
  });

  it('keep their role', () => {
    const { object } = create(roleBinding, V1, { metadata, roleRef, subjects });
    object.metadata.resourceVersion = '1';
    assert.deepEqual(update(roleBinding, V1, object, (b) => (b.roleRef.name = 'edit')).texts, [
      `roleRef: Invalid value: {"APIGroup":"${RBAC_GROUP}","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`,
    ]);
  });

  it('report a label once per check of a stock server', () => {
    const { object } = create(roleBinding, V1, { metadata, roleRef, subjects });
    object.metadata.resourceVersion = '1';
    assert.equal(update(roleBinding, V1, object, (b) => (b.metadata.labels = { 'bad key!': 'x' })).texts.length, 5);
  });

  it('refuse roles and subjects of other kinds', () => {
    assert.deepEqual(create(clusterRoleBinding, V1, { metadata, roleRef: { kind: 'Role', name: 'x' } }).texts, [
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    ]);
    assert.deepEqual(create(roleBinding, V1, { metadata }).texts, [
      'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
      'roleRef.name: Required value',
    ]);
    assert.deepEqual(
      create(clusterRoleBinding, V1, {
        metadata,
        roleRef,
        subjects: [
          { kind: 'ServiceAccount', name: 's' },
          { kind: 'Robot', name: '' },
          { kind: 'User', name: 'u', apiGroup: 'x' },
        ],
      }).texts,
      [
        'subjects[0].namespace: Required value',
        'subjects[1].name: Required value',
        'subjects[1].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
        `subjects[2].apiGroup: Unsupported value: "x": supported values: "${RBAC_GROUP}"`,
      ],
    );
  });

  it('read the alpha version, whose subjects name a version', () => {
    const body = {
      metadata,
      roleRef,
      subjects: [...subjects, { kind: 'User', name: '*' }, { kind: 'X', name: 'x', apiVersion: 'x.io/v2' }],
    };
    const hub = decode(clusterRoleBinding, ALPHA, body);
    assert.deepEqual(hub.subjects, [
      { kind: 'User', name: 'u', apiGroup: RBAC_GROUP },
      { kind: 'Group', name: 'g', apiGroup: RBAC_GROUP },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      { kind: 'Group', name: 'system:authenticated', apiGroup: RBAC_GROUP },
      { kind: 'X', name: 'x', apiGroup: 'x.io' },
    ]);
    assert.deepEqual(
      serve(clusterRoleBinding, ALPHA, hub).subjects.map((s: { apiVersion: string }) => s.apiVersion),
      [ALPHA, ALPHA, 'v1', ALPHA, 'x.io'],
    );
  });
});
