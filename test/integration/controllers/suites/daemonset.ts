import assert from 'node:assert/strict';
import { controllerRevisions, daemonSets } from '../../../../pkg/api/apps/tokens.ts';
import { nodes, pods } from '../../../../pkg/api/core/tokens.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { daemonSetController } from '../../../../pkg/controllers/daemonset/controller.ts';
import { targetNode } from '../../../../pkg/controllers/daemonset/daemon-pod.ts';
import type { DaemonSet } from '../../../../pkg/generated/types/apps-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { NodesAtWork } from '../nodes-at-work.ts';

const CONFIG = { workers: { daemonSet: 2 } } as ControllersConfig;
const labels = { app: 'agent' };

export const daemonSet: ControllerSuite = {
  name: 'daemonset',
  define(host) {
    let namespace: string;
    let atWork: NodesAtWork;
    const name = (): { namespace: string; name: string } => ({ namespace, name: 'agent' });
    const get = (): Promise<DaemonSet> => host.client.get(daemonSets, name());
    const setImage = (image: string): Promise<unknown> =>
      host.client.patch(daemonSets, name(), 'strategic', {
        spec: { template: { spec: { containers: [{ name: 'main', image }] } } },
      });
    const create = (spec: Partial<DaemonSet['spec']> = {}): Promise<DaemonSet> =>
      host.client.create(daemonSets, {
        metadata: name(),
        spec: {
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'main', image: 'app:1', args: ['a && b > c'], resources: {} }] },
          },
          updateStrategy: {},
          ...spec,
        },
        status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
      });
    const shown = async (): Promise<string> =>
      (await atWork.pods())
        .map((pod) => `${targetNode(pod)} ${pod.spec.containers![0]!.image}`)
        .sort()
        .join();
    const isDone = async (count: number): Promise<boolean> => {
      const { metadata, status } = await get();
      const counts = [status.desiredNumberScheduled, status.numberAvailable, status.updatedNumberScheduled];
      return status.observedGeneration === metadata.generation && counts.every((one) => (one ?? 0) === count);
    };
    beforeEach(async () => {
      namespace = await host.namespace();
      atWork = new NodesAtWork(host, namespace);
      await atWork.add('daemon-1', 'daemon-2');
      await host.start((context) => daemonSetController.create(context, CONFIG)!);
    });
    afterEach(() => atWork.remove());

    it('makes a pod for each node, and replaces them one by one', async () => {
      const { spec } = await create();
      assert.deepEqual(spec.updateStrategy, {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
      });
      await atWork.until(() => isDone(2), 'both pods');
      const generations = async (): Promise<readonly unknown[]> =>
        (await atWork.pods()).map(({ metadata }) => metadata.labels!['pod-template-generation']);
      assert.deepEqual(await generations(), ['1', '1']);
      await setImage('app:2');
      const seen = new Set<string>();
      await atWork.until(async () => {
        seen.add(await shown());
        return isDone(2);
      }, 'a rollout');
      assert.deepEqual(await generations(), ['2', '2']);
      assert.equal(await shown(), 'daemon-1 app:2,daemon-2 app:2');
      assert.ok(
        [...seen].some((one) => one.includes('app:1') && one.includes('app:2')),
        [...seen].join('; '),
      );
    });

    it('keeps revisions in the bytes of Go programs, and numbers one again', async () => {
      await create();
      await atWork.until(() => isDone(2), 'both pods');
      const path = `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;
      const { body } = await host.server.client.get(path, { accept: 'application/vnd.kubernetes.protobuf' });
      assert.ok(body.includes('"args":["a \\u0026\\u0026 b \\u003e c"]'));
      await setImage('app:2');
      await atWork.until(async () => (await isDone(2)) && !(await shown()).includes('app:1'), 'a rollout');
      await setImage('app:1');
      await atWork.until(async () => (await isDone(2)) && !(await shown()).includes('app:2'), 'the way back');
      const { items } = await host.client.list(controllerRevisions, { namespace });
      assert.deepEqual(items.map(({ revision }) => revision).sort(), [2, 3]);
      const [{ metadata }] = items as [(typeof items)[number]];
      assert.match(metadata.annotations!['deprecated.daemonset.template.generation']!, /^[12]$/);
    });

    it('follows nodes: those that come, go, are tainted, or are not selected', async () => {
      await create();
      await atWork.until(() => isDone(2), 'both pods');
      await atWork.add('daemon-3');
      await atWork.until(() => isDone(3), 'a pod on the new node');
      const taint = (effect: string): Promise<unknown> =>
        host.client.patch(nodes, { name: 'daemon-1' }, 'merge', { spec: { taints: [{ key: 'x', effect }] } });
      await taint('NoSchedule');
      await until(async () => (await get()).status.numberMisscheduled === 1, 'a pod that may stay');
      assert.equal((await atWork.pods()).length, 3);
      await taint('NoExecute');
      await atWork.until(async () => (await isDone(2)) && (await get()).status.numberMisscheduled === 0, 'two pods');
      const nodeSelector = { 'kubernetes.io/hostname': 'daemon-2' };
      await host.client.patch(daemonSets, name(), 'merge', { spec: { template: { spec: { nodeSelector } } } });
      await atWork.until(() => isDone(1), 'one pod');
      assert.equal(await shown(), 'daemon-2 app:1');
    });

    it('adds the new pod first where it may surge', async () => {
      const surging = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } };
      await create({ updateStrategy: surging });
      await atWork.until(() => isDone(2), 'both pods');
      await setImage('app:2');
      const all = 'daemon-1 app:1,daemon-1 app:2,daemon-2 app:1,daemon-2 app:2';
      await until(async () => (await shown()) === all, 'two pods on each node');
      await atWork.until(async () => (await isDone(2)) && (await atWork.pods()).length === 2, 'a rollout');
      assert.equal(await shown(), 'daemon-1 app:2,daemon-2 app:2');
    });

    it('makes a failed pod again', async () => {
      await create();
      await atWork.until(() => isDone(2), 'both pods');
      const [{ metadata }] = (await atWork.pods()) as [Awaited<ReturnType<NodesAtWork['pods']>>[number]];
      const pod = { namespace, name: metadata.name! };
      await host.client.patch(pods, pod, 'merge', { status: { phase: 'Failed' } }, { subresource: 'status' });
      await atWork.until(async () => {
        const found = await atWork.pods();
        return found.length === 2 && found.every(({ metadata: { uid } }) => uid !== metadata.uid) && isDone(2);
      }, 'another pod');
    });
  },
};
