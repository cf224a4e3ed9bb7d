import assert from 'node:assert/strict';
import { clusterRoles } from '../../../../pkg/api/rbac/tokens.ts';
import { clusterRoleAggregationController } from '../../../../pkg/controllers/clusterrole-aggregation/controller.ts';
import type { ClusterRole } from '../../../../pkg/generated/types/rbac-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

export const clusterRoleAggregation: ControllerSuite = {
  name: 'clusterrole-aggregation',
  define(host) {
    const role = (name: string, label: string, verb?: string, selected?: string): ClusterRole => ({
      metadata: { name, labels: { [label]: 'true' } },
      rules: verb === undefined ? [] : [{ verbs: [verb], apiGroups: [''], resources: ['pods'] }],
      ...(selected === undefined
        ? {}
        : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [selected]: 'true' } }] } }),
    });
    const verbs = async (name: string): Promise<string> =>
      (await host.client.get(clusterRoles, { name })).rules?.flatMap((rule) => rule.verbs ?? []).join() ?? '';
    const has = (name: string, expected: string): Promise<void> =>
      until(async () => (await verbs(name)) === expected, `${name} has ${expected}`);

    it('fills the default roles, and roles that are made of others, as their parts change', async () => {
      await host.client.create(clusterRoles, role('suite-top', 'suite-none', undefined, 'suite-middle'));
      await host.client.create(clusterRoles, role('suite-middle', 'suite-middle', undefined, 'suite-part'));
      await host.client.create(clusterRoles, role('suite-part-a', 'suite-part', 'get'));
      await host.start(clusterRoleAggregationController);
      // What the first round wrote is there when it is over.
      assert.equal(await verbs('suite-top'), 'get');
      assert.notEqual(await verbs('admin'), '');
      await host.client.create(clusterRoles, role('suite-part-b', 'suite-part', 'list'));
      await has('suite-top', 'get,list');
      await host.client.update(clusterRoles, {
        ...(await host.client.get(clusterRoles, { name: 'suite-middle' })),
        rules: [],
      });
      await has('suite-middle', 'get,list');
      await host.client.delete(clusterRoles, { name: 'suite-part-a' });
      await has('suite-top', 'list');
    });
  },
};
