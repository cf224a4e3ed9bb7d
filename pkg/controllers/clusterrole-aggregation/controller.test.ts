import assert from 'node:assert/strict';
import { clusterRoles } from '../../api/rbac/tokens.ts';
import type { ClusterRole, PolicyRule } from '../../generated/types/rbac-v1.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { clusterRoleAggregationController } from './controller.ts';

const rule = (verb: string): PolicyRule => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });
const labelled = (...labels: string[]): Record<string, string> => Object.fromEntries(labels.map((l) => [l, 'true']));
const selects = (...labels: string[]): Partial<ClusterRole> => ({
  aggregationRule: { clusterRoleSelectors: labels.map((label) => ({ matchLabels: labelled(label) })) },
});

describe('the clusterrole-aggregation controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const add = (
    name: string,
    labels: string[],
    rules: PolicyRule[],
    more: Partial<ClusterRole> = {},
  ): Promise<unknown> =>
    fixture.client.create(clusterRoles, { metadata: { name, labels: labelled(...labels) }, rules, ...more });
  const verbs = async (name: string): Promise<string[]> =>
    (await fixture.client.get(clusterRoles, { name })).rules?.flatMap((r) => r.verbs ?? []) ?? [];
  const start = (): Promise<void> => fixture.start(clusterRoleAggregationController(fixture.context));
  const updates = (): number => fixture.client.writes.filter(({ verb }) => verb === 'update').length;

  it('gathers the rules that each selector finds, by the names of the roles, then those of the next, each once', async () => {
    await add('all', ['a'], [rule('old')], selects('a', 'b'));
    await add('z', ['a'], [rule('get'), rule('list')]);
    await add('v', ['a', 'b'], [rule('patch')]);
    await add('y', ['b'], [rule('watch'), rule('get')]);
    await add('x', ['c'], [rule('delete')]);
    await start();
    assert.deepEqual(await verbs('all'), ['patch', 'get', 'list', 'watch']);
    assert.deepEqual([updates(), fixture.errors], [1, []]);
  });

  it('follows changes through roles that are made of others', async () => {
    await add('admin', [], [], selects('admin'));
    await add('edit', ['admin'], [], selects('edit'));
    await start();
    await add('part', ['edit'], [rule('get')]);
    await fixture.clock.advance(0);
    assert.deepEqual([await verbs('admin'), await verbs('edit')], [['get'], ['get']]);
    await fixture.client.delete(clusterRoles, { name: 'part' });
    await fixture.clock.advance(0);
    assert.deepEqual([await verbs('admin'), await verbs('edit')], [[], []]);
  });

  it('comes to an end for roles that select each other', async () => {
    await add('one', ['a'], [rule('get')], selects('b'));
    await add('two', ['b'], [rule('list')], selects('a'));
    await start();
    await fixture.clock.advance(60_000);
    assert.deepEqual([await verbs('one'), await verbs('two')], [['list'], ['list']]);
    assert.equal(updates(), 1);
  });

  it('writes again on the newest state of the role after a conflict', async () => {
    await add('all', [], [], selects('a'));
    await add('part', ['a'], [rule('get')]);
    let interfered = false;
    fixture.client.before = ({ verb }) => {
      if (verb !== 'update' || interfered) return;
      interfered = true;
      const key = 'clusterroles.rbac.authorization.k8s.io/all';
      const role = fixture.client.cluster.objects.get(key)!;
      const resourceVersion = String(++fixture.client.cluster.revision);
      const metadata = { ...role.metadata, resourceVersion, annotations: { other: 'kept' } };
      fixture.client.cluster.objects.set(key, { ...role, metadata });
    };
    await start();
    const { metadata } = await fixture.client.get(clusterRoles, { name: 'all' });
    assert.deepEqual([metadata.annotations, await verbs('all'), fixture.errors], [{ other: 'kept' }, ['get'], []]);
  });

  it('leaves a role whose selectors cannot be used as it is, reports it, and fills the others', async () => {
    const matchExpressions = [{ key: 'a', operator: 'Near' }];
    await add('bad', [], [rule('old')], { aggregationRule: { clusterRoleSelectors: [{ matchExpressions }] } });
    await add('good', [], [], selects('a'));
    await add('part', ['a'], [rule('get')]);
    await start();
    assert.deepEqual([await verbs('bad'), await verbs('good')], [['old'], ['get']]);
    assert.match(fixture.errors[0]!, /^clusterrole-aggregation bad: "Near" is not a valid label selector operator/);
  });
});
