import assert from 'node:assert/strict';
import { endpoints, nodes, pods, serviceAccounts, services } from '../../../../pkg/api/core/tokens.ts';
import { endpointSlices } from '../../../../pkg/api/discovery/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { endpointsController } from '../../../../pkg/controllers/endpoints/controller.ts';
import { endpointSliceController } from '../../../../pkg/controllers/endpointslice/controller.ts';
import { endpointSliceMirroringController } from '../../../../pkg/controllers/endpointslice-mirroring/controller.ts';
import type { Endpoints, Service } from '../../../../pkg/generated/types/core-v1.ts';
import type { EndpointSlice } from '../../../../pkg/generated/types/discovery-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const NODE = 'endpoints-node';
const CONFIG = {
  workers: { endpoint: 2, endpointSlice: 2, endpointSliceMirroring: 2 },
  endpoint: { batchMs: 0 },
  endpointSlice: { batchMs: 0, endpointsMax: 2 },
  endpointSliceMirroring: { batchMs: 0, endpointsMax: 1000 },
} as ControllersConfig;

export const serviceEndpoints: ControllerSuite = {
  name: 'endpoints of services',
  define(host) {
    before(async () => {
      const metadata = { name: NODE, labels: { 'topology.kubernetes.io/zone': 'z' } };
      await host.client.create(nodes, { metadata, spec: {}, status: {} } as never);
    });
    after(() => host.client.delete(nodes, { name: NODE }));

    const startAll = async (): Promise<void> => {
      for (const { create } of [endpointsController, endpointSliceController, endpointSliceMirroringController])
        await host.start((context) => create(context, CONFIG)!);
    };
    const namespaceWithAccount = async (): Promise<string> => {
      const namespace = await host.namespace();
      await host.client.create(serviceAccounts, { metadata: { namespace, name: 'default' } });
      return namespace;
    };
    const createService = (namespace: string, spec: Partial<Service['spec']>): Promise<Service> =>
      host.client.create(services, {
        metadata: { namespace, name: 'web', labels: { team: 'x' } },
        spec: { ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }], ...spec },
        status: { loadBalancer: {} },
      });
    const createPod = async (namespace: string, name: string, ip: string, isReady = true): Promise<void> => {
      const made = await host.client.create(pods, {
        metadata: { namespace, name, labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }], nodeName: NODE },
        status: {},
      });
      const ready = { type: 'Ready', status: isReady ? 'True' : 'False', lastProbeTime: null };
      const conditions = [{ ...ready, lastTransitionTime: new Date().toISOString() }];
      const status = { ...made.status, phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions };
      await host.client.update(pods, { ...made, status }, { subresource: 'status' });
    };
    const slicesOf = async (namespace: string): Promise<readonly EndpointSlice[]> =>
      (await host.client.list(endpointSlices, { namespace })).items;
    const read = (namespace: string): Promise<Endpoints | undefined> =>
      unlessNotFound(host.client.get(endpoints, { namespace, name: 'web' }));
    const addressesIn = (slices: readonly EndpointSlice[]): string[] =>
      slices.flatMap((slice) => (slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])).sort();

    it('follow its pods, in Endpoints and in as many slices as are needed', async () => {
      const namespace = await namespaceWithAccount();
      await createService(namespace, { selector: { app: 'web' } });
      await startAll();
      await createPod(namespace, 'a', '10.1.0.1');
      await createPod(namespace, 'b', '10.1.0.2');
      await createPod(namespace, 'c', '10.1.0.3', false);
      await until(async () => addressesIn(await slicesOf(namespace)).length === 3, 'slices of three endpoints');
      const slices = await slicesOf(namespace);
      assert.deepEqual(slices.map((slice) => slice.endpoints!.length).sort(), [1, 2]);
      for (const { metadata, ports } of slices) {
        assert.match(metadata.name!, /^web-[a-z0-9]{5}$/);
        assert.deepEqual(metadata.labels, {
          team: 'x',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
          'kubernetes.io/service-name': 'web',
        });
        assert.deepEqual(ports, [{ name: '', port: 8080, protocol: 'TCP' }]);
      }
      await until(async () => (await read(namespace))?.subsets?.[0]?.notReadyAddresses?.length === 1, 'Endpoints');
      const [subset] = (await read(namespace))!.subsets!;
      assert.deepEqual(
        subset!.addresses!.map(({ ip, nodeName }) => [ip, nodeName]),
        [
          ['10.1.0.1', NODE],
          ['10.1.0.2', NODE],
        ],
      );
    });

    it('are gone with it', async () => {
      const namespace = await namespaceWithAccount();
      await createService(namespace, { selector: { app: 'web' } });
      await startAll();
      await until(async () => (await read(namespace)) !== undefined, 'Endpoints');
      await host.client.delete(services, { namespace, name: 'web' });
      await until(async () => (await read(namespace)) === undefined, 'no Endpoints');
    });

    it('that another program writes are mirrored, and those of no service are not', async () => {
      const namespace = await namespaceWithAccount();
      await createService(namespace, {});
      await startAll();
      const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 5432, protocol: 'TCP' }] }];
      await host.client.create(endpoints, { metadata: { namespace, name: 'web' }, subsets });
      await host.client.create(endpoints, { metadata: { namespace, name: 'other' }, subsets });
      await until(async () => (await slicesOf(namespace)).length === 1, 'a slice');
      const [slice] = await slicesOf(namespace);
      assert.deepEqual(addressesIn([slice!]), ['192.0.2.1']);
      assert.equal(slice!.metadata.ownerReferences?.[0]?.kind, 'Endpoints');
      await host.client.patch(endpoints, { namespace, name: 'web' }, 'merge', {
        metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      });
      await until(async () => (await slicesOf(namespace)).length === 0, 'no slice');
    });

    it('are the placeholder of a slice again when the last pod goes', async () => {
      const namespace = await namespaceWithAccount();
      await createService(namespace, { selector: { app: 'web' } });
      await createPod(namespace, 'a', '10.1.0.1');
      await startAll();
      await until(async () => addressesIn(await slicesOf(namespace)).length === 1, 'an endpoint');
      const [before] = await slicesOf(namespace);
      await host.client.delete(pods, { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
      await until(async () => addressesIn(await slicesOf(namespace)).length === 0, 'no endpoint');
      const [placeholder, ...others] = await slicesOf(namespace);
      assert.deepEqual([placeholder!.metadata.uid, placeholder!.ports ?? [], others], [before!.metadata.uid, [], []]);
    });
  },
};
