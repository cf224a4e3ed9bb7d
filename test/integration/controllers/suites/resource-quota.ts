import assert from 'node:assert/strict';
import { configMaps, pods, resourceQuotas } from '../../../../pkg/api/core/tokens.ts';
import { resourceToken } from '../../../../pkg/api/resource.ts';
import type { Controller } from '../../../../pkg/controllers/controller.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { resourceQuotaController } from '../../../../pkg/controllers/resource-quota/controller.ts';
import type { Pod, ResourceQuota } from '../../../../pkg/generated/types/core-v1.ts';
import { cronTab, cronTabs } from '../../../fixtures/cron-tabs.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const CONFIG = { workers: { resourceQuota: 5 }, resourceQuota: { resyncMs: 300_000 } } as ControllersConfig;
const CRON_TABS = resourceToken('stable.example.com/v1', 'crontabs', 'CronTab', true);

export const resourceQuota: ControllerSuite = {
  name: 'resourcequota',
  define(host) {
    const start = (): Promise<Controller> => host.start((context) => resourceQuotaController.create(context, CONFIG)!);
    const quota = async (hard: Record<string, string>, spec: object = {}): Promise<string> => {
      const namespace = await host.namespace();
      await host.client.create(resourceQuotas, {
        metadata: { name: 'q', namespace },
        spec: { hard, ...spec },
        status: {},
      });
      return namespace;
    };
    const read = (namespace: string): Promise<ResourceQuota> =>
      host.client.get(resourceQuotas, { namespace, name: 'q' });
    const untilUsed = (namespace: string, used: Record<string, string>): Promise<void> =>
      until(
        async () => {
          const { status } = await read(namespace);
          return Object.entries(used).every(([name, amount]) => status.used?.[name] === amount);
        },
        `${JSON.stringify(used)} in ${namespace}`,
      );
    const pod = (name: string, namespace: string): Pod =>
      ({
        metadata: { name, namespace },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
      }) as unknown as Pod;

    it('fills in the status of quotas, and takes off it what is deleted or ends', async () => {
      const namespace = await quota({ pods: '2', 'requests.cpu': '2', configmaps: '9', 'count/jobs.batch': '1' });
      await start();
      await untilUsed(namespace, { pods: '0', 'requests.cpu': '0', 'count/jobs.batch': '0' });
      const { spec, status } = await read(namespace);
      assert.deepEqual(status.hard, spec.hard);
      await host.client.create(pods, pod('a', namespace));
      await host.client.create(pods, pod('b', namespace));
      await host.client.create(configMaps, { metadata: { name: 'c', namespace } });
      await assert.rejects(host.client.create(pods, pod('c', namespace)), /exceeded quota: q, requested: pods=1/);
      await untilUsed(namespace, { pods: '2', 'requests.cpu': '2' });
      await host.client.delete(pods, { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
      const ended = { status: { phase: 'Succeeded' } };
      await host.client.patch(pods, { namespace, name: 'b' }, 'merge', ended, { subresource: 'status' });
      await host.client.delete(configMaps, { namespace, name: 'c' });
      await untilUsed(namespace, { pods: '0', 'requests.cpu': '0', configmaps: '0' });
      await host.client.create(pods, pod('c', namespace));
    });

    it('counts again by another scope selector', async () => {
      const selector = (name: string) => ({
        scopeSelector: { matchExpressions: [{ scopeName: name, operator: 'Exists' }] },
      });
      const namespace = await quota({ pods: '5' }, selector('BestEffort'));
      await host.client.create(pods, pod('a', namespace));
      await start();
      await untilUsed(namespace, { pods: '0' });
      await host.client.patch(resourceQuotas, { namespace, name: 'q' }, 'merge', { spec: selector('NotBestEffort') });
      await untilUsed(namespace, { pods: '1' });
    });

    it('counts the objects of a resource that is added while it runs', async () => {
      const { installer } = host.server.running.server;
      const added = cronTabs();
      const name = 'count/crontabs.stable.example.com';
      const controller = await start();
      await installer.add(added);
      const namespace = await host.namespace();
      await host.client.create(CRON_TABS, { ...cronTab('c'), metadata: { name: 'c', namespace } });
      await host.client.create(resourceQuotas, {
        metadata: { name: 'q', namespace },
        spec: { hard: { [name]: '1' } },
        status: {},
      });
      await untilUsed(namespace, { [name]: '1' });
      const another = { ...cronTab('d'), metadata: { name: 'd', namespace } };
      await assert.rejects(host.client.create(CRON_TABS, another), /exceeded quota/);
      await host.client.delete(CRON_TABS, { namespace, name: 'c' });
      await untilUsed(namespace, { [name]: '0' });
      await controller.stop();
      await installer.remove(added);
    });
  },
};
