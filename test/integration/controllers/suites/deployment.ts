import assert from 'node:assert/strict';
import { deployments, replicaSets } from '../../../../pkg/api/apps/tokens.ts';
import { events } from '../../../../pkg/api/core/tokens.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { deploymentController } from '../../../../pkg/controllers/deployment/controller.ts';
import { replicaSetController } from '../../../../pkg/controllers/replicaset/controller.ts';
import type { Deployment, ReplicaSet } from '../../../../pkg/generated/types/apps-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { limitResources } from '../limit-resources.ts';
import { NodesAtWork } from '../nodes-at-work.ts';

const CONFIG = { workers: { deployment: 2, replicaSet: 2 } } as ControllersConfig;
const labels = { app: 'web' };
const REVISION = 'deployment.kubernetes.io/revision';

export const deployment: ControllerSuite = {
  name: 'deployment',
  define(host) {
    let namespace: string;
    let atWork: NodesAtWork;
    const name = (): { namespace: string; name: string } => ({ namespace, name: 'web' });
    const get = (): Promise<Deployment> => host.client.get(deployments, name());
    const patch = (change: object): Promise<unknown> => host.client.patch(deployments, name(), 'strategic', change);
    const setImage = (image: string): Promise<unknown> =>
      patch({ spec: { template: { spec: { containers: [{ name: 'main', image }] } } } });
    const sets = async (): Promise<readonly ReplicaSet[]> => (await host.client.list(replicaSets, { namespace })).items;
    const create = (): Promise<Deployment> =>
      host.client.create(deployments, {
        metadata: name(),
        spec: {
          replicas: 3,
          selector: { matchLabels: labels },
          strategy: {},
          template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] } },
        },
        status: {},
      });
    const conditions = async (): Promise<readonly string[]> =>
      ((await get()).status.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort();
    const isDone = async (): Promise<boolean> => {
      const { metadata, status } = await get();
      const isSeen = status.observedGeneration === metadata.generation && status.updatedReplicas === 3;
      return (
        isSeen && status.replicas === 3 && (await conditions()).includes('Progressing True NewReplicaSetAvailable')
      );
    };
    const noteOf = async (reason: string): Promise<readonly (string | undefined)[]> =>
      (await host.client.list(events, { namespace })).items
        .filter((event) => event.reason === reason && event.involvedObject.kind === 'Deployment')
        .map(({ message }) => message);
    beforeEach(async () => {
      namespace = await host.namespace();
      atWork = new NodesAtWork(host, namespace);
    });
    const start = async (): Promise<void> => {
      await host.start((context) => replicaSetController.create(context, CONFIG)!);
      await host.start((context) => deploymentController.create(context, CONFIG)!);
    };

    it('rolls templates out, and goes back to a set that is there', async () => {
      const { metadata, spec } = await create();
      assert.deepEqual(spec.strategy, {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
      });
      await start();
      await atWork.until(isDone, 'the first rollout');
      const [first] = await sets();
      const hash = first!.metadata.labels!['pod-template-hash'];
      assert.equal(first!.metadata.name, `web-${hash}`);
      assert.deepEqual(first!.spec.selector?.matchLabels, { app: 'web', 'pod-template-hash': hash });
      assert.equal(first!.metadata.ownerReferences?.[0]?.uid, metadata.uid);
      await setImage('app:2');
      await atWork.until(isDone, 'the second rollout');
      assert.deepEqual(await conditions(), [
        'Available True MinimumReplicasAvailable',
        'Progressing True NewReplicaSetAvailable',
      ]);
      await patch({ metadata: { annotations: { 'deprecated.deployment.rollback.to': '0' } } });
      await atWork.until(
        async () => (await get()).metadata.annotations?.[REVISION] === '3' && isDone(),
        'the way back',
      );
      assert.deepEqual((await sets()).map((set) => [set.metadata.annotations![REVISION], set.spec.replicas]).sort(), [
        ['2', 0],
        ['3', 3],
      ]);
      await until(async () => (await noteOf('DeploymentRollback')).length === 1, 'an event');
      assert.deepEqual(await noteOf('DeploymentRollback'), ['Rolled back deployment "web" to revision 1']);
    });

    it('makes a set of another name where one is taken', async () => {
      const { spec } = await create();
      await start();
      await until(async () => (await sets()).length === 1, 'a set');
      const [{ metadata }] = (await sets()) as [ReplicaSet];
      await host.client.delete(deployments, name());
      await host.client.delete(replicaSets, { namespace, name: metadata.name! });
      const foreign = { matchLabels: { app: 'foreign' } };
      await host.client.create(replicaSets, {
        metadata: { namespace, name: metadata.name! },
        spec: {
          replicas: 0,
          selector: foreign,
          template: { ...spec.template, metadata: { labels: foreign.matchLabels } },
        },
        status: { replicas: 0 },
      });
      await create();
      await until(async () => (await sets()).length === 2, 'a set of another name');
      assert.equal((await get()).status.collisionCount, 1);
    });

    it('adopts the set of a deployment that was deleted without it', async () => {
      await create();
      await start();
      await atWork.until(isDone, 'a rollout');
      const [{ metadata }] = (await sets()) as [ReplicaSet];
      const set = { namespace, name: metadata.name! };
      await host.client.delete(deployments, name());
      await host.client.patch(replicaSets, set, 'merge', { metadata: { ownerReferences: null } });
      const again = await create();
      await atWork.until(isDone, 'a rollout that finds its set');
      const found = await sets();
      assert.deepEqual(
        found.map((one) => [one.metadata.name, one.metadata.ownerReferences?.[0]?.uid]),
        [[metadata.name, again.metadata.uid]],
      );
    });

    it('has the failure of its set, until that is over', async () => {
      const lift = await limitResources(host, { namespace, name: 'none' }, { pods: '0' });
      await create();
      await start();
      const failed = 'ReplicaFailure True FailedCreate';
      await until(async () => (await conditions()).includes(failed), 'a condition');
      await lift();
      await atWork.until(async () => (await isDone()) && !(await conditions()).includes(failed), 'a rollout');
      host.errors.splice(0);
    });

    it('recreates: no pod of a new set before the last old one is gone', async () => {
      await create();
      await patch({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } });
      await start();
      await atWork.until(isDone, 'a rollout');
      await setImage('app:2');
      const mixed = new Set<number>();
      await atWork.until(async () => {
        mixed.add(new Set((await atWork.pods()).map(({ spec }) => spec.containers![0]!.image)).size);
        return (await isDone()) && (await sets()).length === 2;
      }, 'a rollout');
      assert.ok(!mixed.has(2));
    });
  },
};
