import assert from 'node:assert/strict';
import { replicaSets } from '../../../../pkg/api/apps/tokens.ts';
import { events, pods, replicationControllers } from '../../../../pkg/api/core/tokens.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import {
  replicaSetController,
  replicationControllerController,
} from '../../../../pkg/controllers/replicaset/controller.ts';
import type { ReplicaSet } from '../../../../pkg/generated/types/apps-v1.ts';
import type { Pod, PodTemplateSpec, ReplicationController } from '../../../../pkg/generated/types/core-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { limitResources } from '../limit-resources.ts';
import { NodesAtWork } from '../nodes-at-work.ts';

const CONFIG = { workers: { replicaSet: 2, replicationController: 2 } } as ControllersConfig;
const labels = { app: 'web' };
const template: PodTemplateSpec = {
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] },
};

export const replicaSet: ControllerSuite = {
  name: 'replicaset and replicationcontroller',
  define(host) {
    let namespace: string;
    let atWork: NodesAtWork;
    const name = (): { namespace: string; name: string } => ({ namespace, name: 'web' });
    const get = (): Promise<ReplicaSet> => host.client.get(replicaSets, name());
    const scale = (replicas: number): Promise<unknown> =>
      host.client.patch(replicaSets, name(), 'merge', { spec: { replicas } }, { subresource: 'scale' });
    const create = (replicas: number): Promise<unknown> =>
      host.client.create(replicaSets, {
        metadata: name(),
        spec: { replicas, selector: { matchLabels: labels }, template },
        status: { replicas: 0 },
      });
    const all = (): Promise<readonly Pod[]> => atWork.pods();
    beforeEach(async () => {
      namespace = await host.namespace();
      atWork = new NodesAtWork(host, namespace);
    });
    const start = (): Promise<unknown> => host.start((context) => replicaSetController.create(context, CONFIG)!);

    it('makes pods, and as many as the scale says', async () => {
      await create(3);
      await start();
      await atWork.until(async () => (await get()).status.availableReplicas === 3, 'three pods that serve');
      const [{ metadata, spec }] = (await all()) as [Pod];
      assert.match(metadata.name!, /^web-[a-z0-9]{5}$/);
      assert.deepEqual(
        [metadata.ownerReferences?.[0]?.uid, spec.restartPolicy],
        [(await get()).metadata.uid, 'Always'],
      );
      await scale(1);
      await atWork.until(async () => (await all()).length === 1, 'one pod');
      const expected = {
        replicas: 1,
        fullyLabeledReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        terminatingReplicas: 0,
        observedGeneration: 2,
      };
      await until(
        async () => {
          const { status } = await get();
          return Object.entries(expected).every(([key, value]) => status[key as keyof typeof status] === value);
        },
        `a status of one pod: ${JSON.stringify((await get()).status)}`,
      );
    });

    it('adopts a pod of its labels, and releases it when it has others', async () => {
      await host.client.create(pods, {
        metadata: { namespace, name: 'lone', labels },
        spec: template.spec!,
        status: {},
      });
      await create(1);
      await start();
      const owners = async (): Promise<number | undefined> =>
        (await host.client.get(pods, { namespace, name: 'lone' })).metadata.ownerReferences?.length;
      await until(async () => (await owners()) === 1, 'an owner');
      assert.equal((await all()).length, 1);
      const other = { metadata: { labels: { app: 'other' } } };
      await host.client.patch(pods, { namespace, name: 'lone' }, 'merge', other);
      await until(async () => (await all()).length === 2 && (await owners()) === undefined, 'a pod in its place');
    });

    it('says that a quota keeps it from creating pods, and goes on when it may', async () => {
      const lift = await limitResources(host, { namespace, name: 'few' }, { pods: '1' });
      await create(2);
      await start();
      const failure = async (): Promise<readonly unknown[] | undefined> => {
        const { conditions } = (await get()).status;
        return conditions?.map(({ type, status, reason }) => [type, status, reason]);
      };
      await until(async () => (await failure()) !== undefined, 'a condition');
      assert.deepEqual(await failure(), [['ReplicaFailure', 'True', 'FailedCreate']]);
      assert.match(
        (await get()).status.conditions![0]!.message!,
        /exceeded quota: few, requested: pods=1, used: pods=1/,
      );
      const said = async (): Promise<boolean> =>
        (await host.client.list(events, { namespace })).items.some(
          ({ type, reason, message, source }) =>
            type === 'Warning' &&
            reason === 'FailedCreate' &&
            message!.startsWith('Error creating: pods "web-') &&
            source?.component === 'replicaset-controller',
        );
      await until(said, 'an event');
      await lift();
      await until(async () => (await all()).length === 2 && (await failure()) === undefined, 'both pods');
      host.errors.splice(0);
    });

    it('does the same for replication controllers, whose status counts no pods that end', async () => {
      await host.client.create(replicationControllers, {
        metadata: name(),
        spec: { replicas: 2, selector: labels, template },
        status: { replicas: 0 },
      });
      await host.start((context) => replicationControllerController.create(context, CONFIG)!);
      const status = async (): Promise<ReplicationController['status']> =>
        (await host.client.get(replicationControllers, name())).status;
      await atWork.until(async () => (await status()).availableReplicas === 2, 'pods that serve');
      assert.deepEqual(await status(), {
        replicas: 2,
        fullyLabeledReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        observedGeneration: 1,
      });
      assert.deepEqual(
        (await all()).map(({ metadata }) => metadata.ownerReferences?.[0]?.kind),
        ['ReplicationController', 'ReplicationController'],
      );
    });
  },
};
