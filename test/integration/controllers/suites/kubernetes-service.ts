import assert from 'node:assert/strict';
import { endpoints as endpointsToken, services } from '../../../../pkg/api/core/tokens.ts';
import { endpointSlices } from '../../../../pkg/api/discovery/tokens.ts';
import { kubernetesServiceController } from '../../../../pkg/controllers/kubernetes-service/controller.ts';
import {
  openEndpointReconciler,
  type EndpointReconcilerType,
} from '../../../../pkg/controllers/kubernetes-service/open-endpoint-reconciler.ts';
import type { ServerLeases } from '../../../../pkg/controllers/kubernetes-service/server-leases.ts';
import type { Controller } from '../../../../pkg/controllers/controller.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const name = { namespace: 'default', name: 'kubernetes' };
const PORT = 6443;

/** Which servers are alive, as the store of a cluster has it. */
class MemoryLeases implements ServerLeases {
  private readonly alive = new Set<string>();

  async renew(ip: string): Promise<void> {
    this.alive.add(ip);
  }

  async remove(ip: string): Promise<void> {
    this.alive.delete(ip);
  }

  async addresses(): Promise<readonly string[]> {
    return [...this.alive];
  }
}

export const kubernetesService: ControllerSuite = {
  name: 'kubernetes-service',
  define(host) {
    let leases: MemoryLeases;
    beforeEach(async () => {
      leases = new MemoryLeases();
      await host.client.delete(endpointsToken, name).catch(() => undefined);
      await host.client.delete(endpointSlices, name).catch(() => undefined);
      await until(async () => (await shown()).join() === '', 'a cluster without servers');
    });

    /** Starts a server's controller; resolves when its first round is over. */
    const serve = (ip: string, type: EndpointReconcilerType = 'lease', serverCount = 1): Promise<Controller> =>
      host.start((context) =>
        kubernetesServiceController(context, {
          service: { clusterIp: '10.0.0.1', securePort: PORT, nodePort: 0 },
          endpoints: openEndpointReconciler({ type, serverCount }, leases),
          own: { ip, port: PORT },
        }),
      );
    const shown = async (): Promise<string[]> => {
      const { subsets } = await host.client
        .get(endpointsToken, name)
        .catch(() => ({ subsets: [] as { addresses?: { ip?: string }[] }[] }));
      return (subsets ?? []).flatMap(({ addresses }) => (addresses ?? []).map(({ ip }) => ip ?? ''));
    };
    const sliced = async (): Promise<string[]> =>
      ((await host.client.get(endpointSlices, name)).endpoints ?? []).flatMap(({ addresses }) => addresses ?? []);
    const isShown = (...ips: string[]): Promise<void> =>
      until(async () => (await shown()).join() === ips.join() && (await sliced()).join() === ips.join(), ips.join());

    it('shows the servers that renew leases, until they stop; the last one leaves its address', async () => {
      const first = await serve('192.0.2.1');
      await isShown('192.0.2.1');
      const second = await serve('192.0.2.2');
      await isShown('192.0.2.1', '192.0.2.2');
      await first.stop();
      await isShown('192.0.2.2');
      await second.stop();
      await isShown('192.0.2.2');
      const { metadata, ports } = await host.client.get(endpointSlices, name);
      assert.deepEqual(metadata.labels, { 'kubernetes.io/service-name': 'kubernetes' });
      assert.deepEqual(ports, [{ name: 'https', port: PORT, protocol: 'TCP' }]);
    });

    it('shows as many servers as there are said to be', async () => {
      for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
        await serve(ip, 'master-count', 2);
        await until(async () => (await shown()).includes(ip), `${ip} is shown`);
      }
      assert.equal((await shown()).length, 2);
    });

    it('writes nothing in a round in which nothing is to be changed', async () => {
      await serve('192.0.2.1');
      await isShown('192.0.2.1');
      const versions = async (): Promise<unknown[]> => [
        (await host.client.get(endpointsToken, name)).metadata.resourceVersion,
        (await host.client.get(endpointSlices, name)).metadata.resourceVersion,
        (await host.client.get(services, name)).metadata.resourceVersion,
      ];
      const before = await versions();
      await (await serve('192.0.2.1')).stop();
      assert.deepEqual(await versions(), before);
    });

    it('makes the service where there is none', async () => {
      await host.client.delete(services, name);
      await serve('192.0.2.1');
      await until(async () => {
        const service = await host.client.get(services, name).catch(() => undefined);
        return service?.spec.clusterIP === '10.0.0.1';
      }, 'the service is there');
    });
  },
};
