import assert from 'node:assert/strict';
import { flowSchemas, priorityLevelConfigurations } from '../../../../pkg/api/flowcontrol/tokens.ts';
import { flowControlObjectsController } from '../../../../pkg/controllers/flow-control-objects/controller.ts';
import { flowSchemaStatusController } from '../../../../pkg/controllers/flow-schema-status/controller.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../../../pkg/generated/types/flowcontrol-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

export const flowControl: ControllerSuite = {
  name: 'flow control',
  define(host) {
    const count = async () => (await host.client.list(flowSchemas)).items.length;

    it('has its objects', async () => {
      await host.start(flowControlObjectsController);
      assert.equal(await count(), 11);
      assert.equal((await host.client.list(priorityLevelConfigurations)).items.length, 8);
    });

    it('brings them in line at the next start', async () => {
      await host.client.delete(flowSchemas, { name: 'probes' });
      await host.client.patch(priorityLevelConfigurations, { name: 'system' }, 'merge', {
        spec: { limited: { nominalConcurrencyShares: 31 } },
      });
      // These lists wait until the server's cache, which informers begin with, has the changes.
      assert.equal(await count(), 10);
      await host.client.list(priorityLevelConfigurations);
      await host.start(flowControlObjectsController);
      assert.equal(await count(), 11);
      const { spec } = await host.client.get(priorityLevelConfigurations, { name: 'system' });
      assert.equal(spec.limited?.nominalConcurrencyShares, 30);
    });

    it('says of schemas whether their levels exist', async () => {
      const dangles = async (): Promise<string | undefined> =>
        (await host.client.get(flowSchemas, { name: 'suite' })).status.conditions?.find(
          ({ type }) => type === 'Dangling',
        )?.status;
      await host.client.create(flowSchemas, {
        metadata: { name: 'suite' },
        spec: { priorityLevelConfiguration: { name: 'suite' }, matchingPrecedence: 9999 },
        status: {},
      } as FlowSchema);
      await host.start(flowSchemaStatusController);
      assert.equal(await dangles(), 'True');
      await host.client.create(priorityLevelConfigurations, {
        metadata: { name: 'suite' },
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
        status: {},
      } as PriorityLevelConfiguration);
      await until(async () => (await dangles()) === 'False', 'the level is found');
      await host.client.delete(priorityLevelConfigurations, { name: 'suite' });
      await until(async () => (await dangles()) === 'True', 'the level is gone');
      await host.client.delete(flowSchemas, { name: 'suite' });
    });
  },
};
