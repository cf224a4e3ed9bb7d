import assert from 'node:assert/strict';
import { rbacGroup } from '../../api/rbac/resources.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { AUTOUPDATE, defaultPolicy } from '../../authorization/rbac/default-policy/default-policy.ts';
import type { ClusterRole, ClusterRoleBinding } from '../../generated/types/rbac-v1.ts';
import { openRegistry, type Replica, type TestRegistry } from '../../registry/registry-testing.ts';
import { changeOwn, createOwnIfAbsent } from '../../registry/own-writes.ts';
import { ensureDefaultPolicy as ensure } from './default-policy.ts';

const store = (kind: string): string => `${kind}.rbac.authorization.k8s.io`;
const ensureDefaultPolicy = (stores: Replica): Promise<void> => ensure(stores, (error) => assert.fail(String(error)));

describe('the default roles and bindings', () => {
  let registry: TestRegistry;
  let stores: Replica;
  beforeEach(async () => {
    registry = openRegistry(rbacGroup.resources);
    stores = await registry.replica();
  });
  afterEach(() => registry.stop());
  const get = async <T extends ApiObject>(kind: string, name: string): Promise<T> =>
    (await stores(store(kind)).newest(stores(store(kind)).keyOf('', name)))?.object() as T;
  const revision = (): Promise<number> => registry.store.currentRevision();

  it('are made once, and left alone by the next start', async () => {
    await ensureDefaultPolicy(stores);
    const policy = defaultPolicy();
    const keys = await Promise.all(
      ['clusterroles/', 'clusterrolebindings/', 'roles/', 'rolebindings/'].map((prefix) => registry.keys(prefix)),
    );
    assert.deepEqual(
      keys.map(({ length }) => length),
      [policy.clusterRoles, policy.clusterRoleBindings, policy.roles, policy.roleBindings].map(({ length }) => length),
    );
    const { rules, metadata } = await get<ClusterRole>('clusterroles', 'system:basic-user');
    assert.deepEqual(rules?.[0], {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    });
    assert.deepEqual(metadata.labels, { 'kubernetes.io/bootstrapping': 'rbac-defaults' });
    const before = await revision();
    await ensureDefaultPolicy(stores);
    await ensureDefaultPolicy(await registry.replica());
    assert.equal(await revision(), before);
  });

  it('are made by several servers at once', async () => {
    const others = await Promise.all([registry.replica(), registry.replica()]);
    await Promise.all([stores, ...others].map((replica) => ensureDefaultPolicy(replica)));
    assert.equal((await registry.keys('clusterroles/')).length, defaultPolicy().clusterRoles.length);
  });

  it('get back what they lack, and keep what they have besides', async () => {
    await ensureDefaultPolicy(stores);
    await changeOwn<ClusterRole>(stores(store('clusterroles')), '', 'system:discovery', (role) => {
      role.rules = [
        { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['get'], nonResourceURLs: ['/api', '/api/*'] },
      ];
      role.metadata.labels = { own: 'yes', 'kubernetes.io/bootstrapping': 'changed' };
      delete role.metadata.annotations;
    });
    await changeOwn<ClusterRoleBinding>(stores(store('clusterrolebindings')), '', 'system:discovery', (binding) => {
      binding.subjects = [{ kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }];
    });
    await ensureDefaultPolicy(stores);
    const role = await get<ClusterRole>('clusterroles', 'system:discovery');
    assert.deepEqual(role.rules?.slice(0, 3), [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['get'], nonResourceURLs: ['/api', '/api/*'] },
      { verbs: ['get'], nonResourceURLs: ['/apis'] },
    ]);
    assert.deepEqual(
      [role.metadata.labels, role.metadata.annotations],
      [{ own: 'yes', 'kubernetes.io/bootstrapping': 'changed' }, { [AUTOUPDATE]: 'true' }],
    );
    assert.deepEqual(
      (await get<ClusterRoleBinding>('clusterrolebindings', 'system:discovery')).subjects?.map(({ name }) => name),
      ['u', 'system:authenticated'],
    );
  });

  it('are left alone where their owners say so', async () => {
    await ensureDefaultPolicy(stores);
    for (const kind of ['clusterroles', 'clusterrolebindings']) {
      await changeOwn<ClusterRole & ClusterRoleBinding>(stores(store(kind)), '', 'system:basic-user', (object) => {
        object.metadata.annotations = { [AUTOUPDATE]: 'false' };
        if (kind === 'clusterroles') object.rules = [];
        else object.subjects = [];
      });
    }
    const before = await revision();
    await ensureDefaultPolicy(stores);
    assert.equal(await revision(), before);
  });

  it('are made again where a binding leads to another role', async () => {
    const misled = {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'Group', name: 'system:unauthenticated', apiGroup: 'rbac.authorization.k8s.io' }],
    };
    await createOwnIfAbsent(stores(store('clusterrolebindings')), {
      metadata: { name: 'system:public-info-viewer' },
      ...misled,
    });
    const replicas = [stores, await registry.replica()];
    await Promise.all(replicas.map((replica) => ensureDefaultPolicy(replica)));
    const repaired = await get<ClusterRoleBinding>('clusterrolebindings', 'system:public-info-viewer');
    assert.equal(repaired.roleRef.name, 'system:public-info-viewer');
  });

  it('stop aggregating, or begin to, as they are meant to', async () => {
    const selectors = [{ matchLabels: { mine: 'yes' } }];
    await createOwnIfAbsent(stores(store('clusterroles')), {
      metadata: { name: 'view' },
      rules: [],
      aggregationRule: { clusterRoleSelectors: selectors },
    });
    await createOwnIfAbsent(stores(store('clusterroles')), {
      metadata: { name: 'system:basic-user' },
      rules: [],
      aggregationRule: { clusterRoleSelectors: selectors },
    });
    await ensureDefaultPolicy(stores);
    assert.deepEqual((await get<ClusterRole>('clusterroles', 'view')).aggregationRule?.clusterRoleSelectors, [
      ...selectors,
      { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    ]);
    assert.equal((await get<ClusterRole>('clusterroles', 'system:basic-user')).aggregationRule, undefined);
  });

  it('grant no more than discovery did before it was split', async () => {
    const subjects = [{ kind: 'Group', name: 'staff', apiGroup: 'rbac.authorization.k8s.io' }];
    const annotations = { [AUTOUPDATE]: 'false' };
    await createOwnIfAbsent(stores(store('clusterrolebindings')), {
      metadata: { name: 'system:discovery', annotations },
      subjects,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:discovery' },
    });
    await ensureDefaultPolicy(stores);
    const split = await get<ClusterRoleBinding>('clusterrolebindings', 'system:public-info-viewer');
    assert.deepEqual(
      [split.subjects, split.metadata.annotations, split.roleRef.name],
      [subjects, annotations, 'system:public-info-viewer'],
    );
  });

  it('are all made where one cannot be repaired', async () => {
    const roles = stores(store('clusterroles'));
    const refused = {
      metadata: { name: 'system:discovery', uid: 'u' },
      rules: [{ verbs: [], apiGroups: [''], resources: ['pods'] }],
    };
    await registry.store.commit(roles.keyOf('', 'system:discovery'), {
      expectRevision: 0,
      value: roles.codec.encode(refused as ClusterRole),
    });
    const told: string[] = [];
    await ensure(stores, (error) => told.push(String(error)));
    assert.equal(told.length, 1);
    assert.match(
      told[0]!,
      /ClusterRole\.rbac\.authorization\.k8s\.io "system:discovery" is invalid: .*rules\[0\]\.verbs: Required value/,
    );
    assert.equal((await registry.keys('clusterroles/')).length, defaultPolicy().clusterRoles.length);
  });
});
