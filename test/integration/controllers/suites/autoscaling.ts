import assert from 'node:assert/strict';
import { daemonSets, deployments } from '../../../../pkg/api/apps/tokens.ts';
import { horizontalPodAutoscalers } from '../../../../pkg/api/autoscaling/tokens.ts';
import { configMaps, events } from '../../../../pkg/api/core/tokens.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { horizontalPodAutoscalerController } from '../../../../pkg/controllers/horizontal-pod-autoscaler/controller.ts';
import type { HorizontalPodAutoscaler } from '../../../../pkg/generated/types/autoscaling-v2.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const CONFIG = {
  workers: { horizontalPodAutoscaler: 2 },
  autoscaling: {
    periodMs: 50,
    downscaleDelayMs: 300_000,
    tolerance: 0.1,
    cpuInitializationMs: 300_000,
    initialReadinessMs: 30_000,
  },
} as ControllersConfig;
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] },
};
const spec = { selector: { matchLabels: { app: 'web' } }, template };

export const autoscaling: ControllerSuite = {
  name: 'autoscaling',
  define(host) {
    const create = (namespace: string, apiVersion: string, kind: string): Promise<unknown> =>
      host.client.create(horizontalPodAutoscalers, {
        metadata: { namespace, name: 'web' },
        spec: { scaleTargetRef: { apiVersion, kind, name: 'web' }, minReplicas: 2, maxReplicas: 4 },
        status: { desiredReplicas: 0, currentMetrics: null },
      });
    const read = (namespace: string): Promise<HorizontalPodAutoscaler> =>
      host.client.get(horizontalPodAutoscalers, { namespace, name: 'web' });
    const conditionOf = async (namespace: string, type: string): Promise<readonly [string, string] | undefined> => {
      const found = (await read(namespace)).status.conditions?.find((condition) => condition.type === type);
      return found === undefined ? undefined : [found.reason!, found.message!];
    };
    const start = (): Promise<unknown> =>
      host.start((context) => horizontalPodAutoscalerController.create(context, CONFIG)!);
    const expectFailure = async (namespace: string, text: string): Promise<void> => {
      await until(async () => (await conditionOf(namespace, 'AbleToScale')) !== undefined, 'a condition');
      const message = `the HPA controller was unable to get the target's current scale: ${text}`;
      assert.deepEqual(await conditionOf(namespace, 'AbleToScale'), ['FailedGetScale', message]);
    };

    it('brings the target within its bounds, and says that there are no metrics', async () => {
      const namespace = await host.namespace();
      const target = { namespace, name: 'web' };
      await host.client.create(deployments, {
        metadata: target,
        spec: { ...spec, replicas: 1, strategy: {} },
        status: {},
      });
      await create(namespace, 'apps/v1', 'Deployment');
      await start();
      await until(async () => (await host.client.get(deployments, target)).spec.replicas === 2, 'two replicas');
      await until(async () => (await conditionOf(namespace, 'ScalingActive')) !== undefined, 'a failure');
      assert.deepEqual(await conditionOf(namespace, 'ScalingActive'), [
        'FailedGetResourceMetric',
        'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
      ]);
      const note = 'New size: 2; reason: Current number of replicas below Spec.MinReplicas';
      await until(
        async () => (await host.client.list(events, { namespace })).items.some(({ message }) => message === note),
        'the event of the new size',
      );
    });

    it('says that there is no such target', async () => {
      const namespace = await host.namespace();
      await create(namespace, 'apps/v1', 'Deployment');
      await start();
      await expectFailure(namespace, 'deployments.apps "web" not found');
    });

    it('says that there is no such kind', async () => {
      const namespace = await host.namespace();
      await create(namespace, 'apps/v1', 'Nothing');
      await start();
      await expectFailure(namespace, 'no matches for kind "Nothing" in group "apps"');
    });

    it('says that a kind has no scale', async () => {
      const namespace = await host.namespace();
      await host.client.create(daemonSets, {
        metadata: { namespace, name: 'web' },
        spec: { ...spec, updateStrategy: {} },
        status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
      });
      await host.client.create(configMaps, { metadata: { namespace, name: 'web' } });
      await create(namespace, 'apps/v1', 'DaemonSet');
      await start();
      await expectFailure(namespace, 'the server could not find the requested resource');
    });
  },
};
