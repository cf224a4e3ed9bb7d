import assert from 'node:assert/strict';
import { services } from '../../../../pkg/api/core/tokens.ts';
import { serviceCidrs } from '../../../../pkg/api/networking/tokens.ts';
import { defaultServiceCidrController } from '../../../../pkg/controllers/default-service-cidr/controller.ts';
import { serviceCidrController } from '../../../../pkg/controllers/service-cidr/controller.ts';
import type { Service } from '../../../../pkg/generated/types/core-v1.ts';
import type { ServiceCIDR } from '../../../../pkg/generated/types/networking-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerHost, ControllerSuite } from '../controller-suite.ts';

const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

export const serviceCidr: ControllerSuite = {
  name: 'service CIDRs',
  define(host: ControllerHost) {
    const create = (name: string, cidrs: string[]) =>
      host.client.create(serviceCidrs, { metadata: { name }, spec: { cidrs }, status: {} });
    const find = (name: string): Promise<ServiceCIDR | undefined> =>
      host.client.get(serviceCidrs, { name }).catch(() => undefined);
    const isGone = (name: string) => until(async () => (await find(name)) === undefined, `${name} is gone`);
    const ready = async (name: string): Promise<string> => {
      const condition = (await find(name))?.status.conditions?.find(({ type }) => type === 'Ready');
      return `${condition?.status} ${condition?.reason} ${condition?.message}`;
    };
    const isKept = async (name: string): Promise<void> => {
      await until(async () => (await ready(name)).startsWith('True'), `${name} is ready`);
      assert.deepEqual((await find(name))!.metadata.finalizers, [FINALIZER]);
    };
    const isTerminating = (name: string) =>
      until(async () => (await ready(name)).startsWith('False Terminating'), `${name} is terminating`);
    const start = () => host.start((context) => serviceCidrController(context, { deletionGraceMs: 0 }));

    it('of the options are made again where they are deleted, and say that they are ready', async () => {
      const warnings: string[] = [];
      const configured = (cidrs: readonly string[]) =>
        host.start((context) =>
          defaultServiceCidrController(context, { cidrs, onWarning: (text) => warnings.push(text) }),
        );
      const own = (await find('kubernetes'))!.spec.cidrs!;
      await (await configured(own)).stop();
      assert.deepEqual([await ready('kubernetes'), warnings], ['True  Kubernetes default Service CIDR is ready', []]);
      await (await configured(['10.9.0.0/24'])).stop();
      assert.deepEqual(warnings, [
        `the default ServiceCIDR ${own.join()} does not match --service-cluster-ip-range=10.9.0.0/24: change the option, or delete the object`,
      ]);
      await start();
      await configured(own);
      await create('suite-twin', own);
      await isKept('kubernetes');
      const { uid } = (await find('kubernetes'))!.metadata;
      await host.client.delete(serviceCidrs, { name: 'kubernetes' });
      await until(async () => {
        const found = await find('kubernetes');
        return found !== undefined && found.metadata.uid !== uid;
      }, 'the default ServiceCIDR is there again');
      await isKept('kubernetes');
      await host.client.delete(serviceCidrs, { name: 'suite-twin' });
      await isGone('suite-twin');
    });

    it('are ready and protected from deletion, for any creator, and are removed when nothing needs them', async () => {
      await create('suite-a', ['10.4.0.0/24']);
      await start();
      await isKept('suite-a');
      assert.equal(await ready('suite-a'), 'True  Kubernetes Service CIDR is ready');
      await host.client.delete(serviceCidrs, { name: 'suite-a' });
      await isGone('suite-a');
    });

    it('stay while an address lies in them and in no other', async () => {
      await start();
      await create('suite-b', ['10.5.0.0/24']);
      await isKept('suite-b');
      const namespace = await host.namespace();
      await host.client.create(services, {
        metadata: { name: 'in-b', namespace },
        spec: { clusterIP: '10.5.0.7', ports: [{ port: 80 }] },
        status: {},
      } as Service);
      await host.client.delete(serviceCidrs, { name: 'suite-b' });
      await isTerminating('suite-b');
      await create('suite-wider', ['10.5.0.0/23']);
      await isGone('suite-b');
      await isKept('suite-wider');
      await host.client.delete(serviceCidrs, { name: 'suite-wider' });
      await isTerminating('suite-wider');
      await host.client.delete(services, { namespace, name: 'in-b' });
      await isGone('suite-wider');
    });
  },
};
