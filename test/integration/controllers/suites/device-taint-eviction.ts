import assert from 'node:assert/strict';
import { pods } from '../../../../pkg/api/core/tokens.ts';
import { resourceClaims, resourceSlices } from '../../../../pkg/api/resource/tokens.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { deviceTaintEvictionController } from '../../../../pkg/controllers/device-taint-eviction/controller.ts';
import type { Pod } from '../../../../pkg/generated/types/core-v1.ts';
import type { ResourceClaim, ResourceSlice } from '../../../../pkg/generated/types/resource-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const DRIVER = 'd.example.com';

export const deviceTaintEviction: ControllerSuite = {
  name: 'device-taint-eviction',
  define(host) {
    const { create } = deviceTaintEvictionController;
    /** A pod on a node, with a device of the pool, which is named as the namespace. */
    const use = async (namespace: string): Promise<void> => {
      const pod = await host.client.create(pods, {
        metadata: { namespace, name: 'user' },
        spec: {
          nodeName: 'n',
          containers: [{ name: 'c', image: 'i' }],
          resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
        },
      } as unknown as Pod);
      const request = { name: 'gpu', exactly: { deviceClassName: 'gpu' } };
      const claim = await host.client.create(resourceClaims, {
        metadata: { namespace, name: 'gpu' },
        spec: { devices: { requests: [request] } },
      } as unknown as ResourceClaim);
      const result = { request: 'gpu', driver: DRIVER, pool: namespace, device: 'gpu-0' };
      const status = {
        allocation: { devices: { results: [result] } },
        reservedFor: [{ resource: 'pods', name: 'user', uid: pod.metadata.uid! }],
      };
      await host.client.update(resourceClaims, { ...claim, status }, { subresource: 'status' });
    };
    const read = (namespace: string): Promise<Pod> => host.client.get(pods, { namespace, name: 'user' });

    it('deletes the pod of a device that is tainted, whose time the server fills in', async () => {
      const namespace = await host.namespace();
      await use(namespace);
      const slice = await host.client.create(resourceSlices, {
        metadata: { name: namespace },
        spec: {
          driver: DRIVER,
          pool: { name: namespace, generation: 1, resourceSliceCount: 1 },
          nodeName: 'n',
          devices: [{ name: 'gpu-0' }],
        },
      } as ResourceSlice);
      await host.start((context) => create(context, {} as ControllersConfig)!);
      assert.equal((await read(namespace)).metadata.deletionTimestamp, undefined);
      const devices = [{ name: 'gpu-0', taints: [{ key: 'example.com/broken', effect: 'NoExecute' }] }];
      await host.client.update(resourceSlices, { ...slice, spec: { ...slice.spec, devices } });
      await until(async () => (await read(namespace)).metadata.deletionTimestamp !== undefined, 'the eviction');
      const { status } = await read(namespace);
      const condition = status.conditions?.find(({ type }) => type === 'DisruptionTarget');
      assert.deepEqual([condition?.status, condition?.reason], ['True', 'DeletionByDeviceTaintManager']);
    });
  },
};
