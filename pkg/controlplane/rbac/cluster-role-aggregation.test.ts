import assert from 'node:assert/strict';
import { clusterRole } from '../../api/rbac/cluster-role/cluster-role.ts';
import type { ClusterRole, PolicyRule } from '../../generated/types/rbac-v1.ts';
import { openRegistry, type TestRegistry } from '../../registry/registry-testing.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { changeOwn, createOwnIfAbsent } from '../../registry/own-writes.ts';
import { ClusterRoleAggregation } from './cluster-role-aggregation.ts';

const rule = (verb: string): PolicyRule => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });
const selects = (...labels: string[]): object => ({
  aggregationRule: { clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'true' } })) },
});

describe('the aggregation of cluster roles', () => {
  let registry: TestRegistry;
  let store: ResourceStore;
  let keepers: ClusterRoleAggregation[];
  beforeEach(async () => {
    registry = openRegistry([clusterRole]);
    store = await open();
    keepers = [];
  });
  afterEach(async () => {
    for (const keeper of keepers) await keeper.stop();
    await registry.stop();
  });
  const open = async (): Promise<ResourceStore> => (await registry.replica())('clusterroles.rbac.authorization.k8s.io');
  const keep = (on: ResourceStore = store): ClusterRoleAggregation => {
    const keeper = new ClusterRoleAggregation(on, (error) => assert.fail(String(error)));
    keepers.push(keeper);
    return keeper;
  };
  const add = (name: string, labels: string[], rules: PolicyRule[], more: object = {}): Promise<void> =>
    createOwnIfAbsent(store, {
      metadata: { name, labels: Object.fromEntries(labels.map((label) => [label, 'true'])) },
      rules,
      ...more,
    });
  const verbs = async (name: string): Promise<string[]> => {
    await store.cacher.fresh();
    return (
      ((await store.newest(store.keyOf('', name)))!.object() as ClusterRole).rules?.flatMap((r) => r.verbs ?? []) ?? []
    );
  };
  /** Waits until the role has these verbs. */
  const until = async (name: string, expected: readonly string[]): Promise<void> => {
    while (JSON.stringify(await verbs(name)) !== JSON.stringify(expected))
      await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('gathers the rules of all roles that a selector finds, by their names, then those of the next, each once', async () => {
    await add('all', [], [rule('old')], selects('a', 'b'));
    await add('z', ['a'], [rule('get'), rule('list')]);
    await add('v', ['a', 'b'], [rule('patch')]);
    await add('y', ['b'], [rule('watch'), rule('get')]);
    await add('x', ['c'], [rule('delete')]);
    await keep().settle();
    assert.deepEqual(await verbs('all'), ['patch', 'get', 'list', 'watch']);
  });

  it('passes over a role whose selectors cannot be used', async () => {
    await add('all', [], [], selects('a'));
    const bad = {
      metadata: { name: 'bad', uid: 'u' },
      rules: [rule('old')],
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }] },
    };
    await registry.store.commit(store.keyOf('', 'bad'), {
      expectRevision: 0,
      value: store.codec.encode(bad as ClusterRole),
    });
    await add('part', ['a'], [rule('get')]);
    const told: unknown[] = [];
    const keeper = new ClusterRoleAggregation(store, (error) => told.push(error));
    keepers.push(keeper);
    await keeper.settle();
    assert.deepEqual([await verbs('all'), await verbs('bad')], [['get'], ['old']]);
    assert.match(String(told[0]), /"Near" is not a valid label selector operator/);
  });

  it('goes through roles that are made of others', async () => {
    await add('admin', [], [], selects('admin'));
    await add('edit', ['admin'], [], selects('edit'));
    await add('view', ['edit'], [], selects('view'));
    await add('part', ['view'], [rule('get')]);
    await keep().settle();
    assert.deepEqual([await verbs('admin'), await verbs('edit'), await verbs('view')], [['get'], ['get'], ['get']]);
  });

  it('comes to an end for roles that select each other', async () => {
    await add('one', ['a'], [rule('get')], selects('b'));
    await add('two', ['b'], [rule('list')], selects('a'));
    const keeper = keep();
    await keeper.settle();
    assert.deepEqual([await verbs('one'), await verbs('two')], [['list'], ['list']]);
    const before = await registry.store.currentRevision();
    await keeper.settle();
    assert.equal(await registry.store.currentRevision(), before);
  });

  it('is no part of itself, and writes nothing where nothing changes', async () => {
    await add('self', ['a'], [rule('get')], selects('a'));
    await add('part', ['a'], [rule('list')]);
    const keeper = keep();
    await keeper.settle();
    assert.deepEqual(await verbs('self'), ['list']);
    const before = await registry.store.currentRevision();
    await keeper.settle();
    await keep(await open()).settle();
    assert.equal(await registry.store.currentRevision(), before);
  });

  it('follows what changes while it runs, on several servers', async () => {
    await add('all', [], [], selects('a'));
    await keep().settle();
    await keep(await open()).settle();
    await add('part', ['a'], [rule('get')]);
    await until('all', ['get']);
    await changeOwn<ClusterRole>(store, '', 'all', (role) => {
      role.rules = [rule('escalate')];
    });
    await until('all', ['get']);
    await changeOwn<ClusterRole>(store, '', 'part', (role) => {
      role.metadata.labels = {};
    });
    await until('all', []);
  });
});
