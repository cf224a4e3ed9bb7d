import assert from 'node:assert/strict';
import { controllerRevisions, daemonSets } from '../../api/apps/tokens.ts';
import { events, nodes, pods } from '../../api/core/tokens.ts';
import type { ControllerRevision, DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Node, Pod, Taint } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { targetNode } from './daemon-pod.ts';
import { daemonSetController } from './controller.ts';

const CONFIG = { workers: { daemonSet: 2 } } as ControllersConfig;
const labels = { app: 'agent' };
const name = { namespace: 'ns', name: 'agent' };
const template = (image: string, spec: object = {}): DaemonSet['spec']['template'] => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image, resources: {} }], ...spec },
});

/** The test says when pods become ready. */
describe('the daemon set controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    for (const node of ['n1', 'n2', 'n3']) await addNode(node);
    await fixture.start(daemonSetController.create(fixture.context, CONFIG)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  async function addNode(node: string, taints: readonly Taint[] = []): Promise<void> {
    const metadata = { name: node, labels: { name: node } };
    const object = { metadata, spec: { taints: [...taints] }, status: {} };
    await fixture.client.create(nodes, object as unknown as Node);
  }
  const rest = (): Promise<void> => fixture.clock.advance(0);
  const create = async (spec: Partial<DaemonSet['spec']> = {}): Promise<void> => {
    await fixture.client.create(daemonSets, {
      metadata: { ...name, annotations: { 'deprecated.daemonset.template.generation': '1' } },
      spec: {
        selector: { matchLabels: labels },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        template: template('app:1'),
        ...spec,
      },
      status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
    });
    await rest();
  };
  const get = (): Promise<DaemonSet> => fixture.client.get(daemonSets, name);
  const setTemplate = async (next: object, generation: string): Promise<void> => {
    const metadata = { annotations: { 'deprecated.daemonset.template.generation': generation } };
    await fixture.client.patch(daemonSets, name, 'merge', { metadata, spec: { template: next } });
    await rest();
  };
  const taint = async (node: string, taints: readonly Taint[]): Promise<void> => {
    await fixture.client.patch(nodes, { name: node }, 'merge', { spec: { taints } });
    await rest();
  };
  const allPods = async (): Promise<readonly Pod[]> => (await fixture.client.list(pods, { namespace: 'ns' })).items;
  const revisions = async (): Promise<readonly ControllerRevision[]> =>
    (await fixture.client.list(controllerRevisions, { namespace: 'ns' })).items;
  /** `node image`, in the order of nodes. */
  const shown = async (): Promise<string> =>
    (await allPods())
      .map((pod) => `${targetNode(pod)} ${pod.spec.containers?.[0]?.image}`)
      .sort()
      .join(', ');

  async function setPhase(pod: Pod, phase: string): Promise<void> {
    const now = new Date(fixture.clock.wallMs()).toISOString();
    const ready = phase === 'Running' ? 'True' : 'False';
    const conditions = [{ type: 'Ready', status: ready, lastProbeTime: null, lastTransitionTime: now }];
    const podName = { namespace: 'ns', name: pod.metadata.name! };
    await fixture.client.patch(pods, podName, 'merge', { status: { phase, conditions } }, { subresource: 'status' });
    await rest();
  }

  /** Makes pods ready until nothing changes. Gives the smallest number of ready pods on the way. */
  async function settle(): Promise<number> {
    let least = Infinity;
    for (let round = 0; round < 50; round++) {
      const all = await allPods();
      least = Math.min(least, all.filter(({ status }) => status.phase === 'Running').length);
      const waiting = all.find(({ status }) => status.phase !== 'Running');
      if (waiting === undefined) return least;
      await setPhase(waiting, 'Running');
    }
    assert.fail('no end');
  }

  it('puts one pod on every node, bound by affinity, with the tolerations of daemons', async () => {
    await create();
    assert.equal(await shown(), 'n1 app:1, n2 app:1, n3 app:1');
    await settle();
    const [revision] = await revisions();
    const hash = revision!.metadata.labels?.['controller-revision-hash'];
    assert.equal(revision!.metadata.name, `agent-${hash}`);
    const [pod] = await allPods();
    assert.deepEqual(pod!.metadata.labels, {
      app: 'agent',
      'controller-revision-hash': hash,
      'pod-template-generation': '1',
    });
    assert.deepEqual(
      pod!.spec.tolerations?.map(({ key, effect }) => `${key?.split('/')[1]} ${effect}`),
      [
        'not-ready NoExecute',
        'unreachable NoExecute',
        'disk-pressure NoSchedule',
        'memory-pressure NoSchedule',
        'pid-pressure NoSchedule',
        'unschedulable NoSchedule',
      ],
    );
    assert.deepEqual((await get()).status, {
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
    });
  });

  it('follows nodes that come, and their taints', async () => {
    await create();
    await settle();
    await addNode('n4');
    await rest();
    assert.equal((await allPods()).length, 4);
    await taint('n4', [{ key: 'x', effect: 'NoSchedule' }]);
    assert.equal((await allPods()).length, 4);
    assert.equal((await get()).status.numberMisscheduled, 1);
    await taint('n4', [{ key: 'x', effect: 'NoExecute' }]);
    assert.equal(await shown(), 'n1 app:1, n2 app:1, n3 app:1');
    await taint('n4', [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }]);
    assert.equal((await allPods()).length, 4);
  });

  it('goes where selector, affinity and node name say', async () => {
    await create({ template: template('app:1', { nodeSelector: { name: 'n2' } }) });
    assert.equal(await shown(), 'n2 app:1');
    await setTemplate(template('app:1', { nodeSelector: null, nodeName: 'n3' }), '2');
    assert.equal(await shown(), 'n3 app:1');
    await setTemplate(template('app:1', { nodeName: null, nodeSelector: { name: 'nobody' } }), '3');
    // A pod that has its node leaves by the agent of the node.
    assert.equal((await allPods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined).length, 0);
    assert.equal((await get()).status.desiredNumberScheduled, 0);
  });

  it('replaces its pods one node at a time, and numbers an old revision again', async () => {
    await create();
    await settle();
    await setTemplate(template('app:2'), '2');
    assert.equal(await settle(), 2);
    assert.equal(await shown(), 'n1 app:2, n2 app:2, n3 app:2');
    await setTemplate(template('app:1'), '3');
    await settle();
    assert.deepEqual((await revisions()).map(({ revision }) => revision).sort(), [2, 3]);
    assert.equal((await get()).status.updatedNumberScheduled, 3);
  });

  it('adds the new pod first where it may surge', async () => {
    await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
    await settle();
    await setTemplate(template('app:2'), '2');
    assert.equal((await allPods()).length, 4);
    assert.equal(await settle(), 3);
    assert.equal(await shown(), 'n1 app:2, n2 app:2, n3 app:2');
  });

  it('adds no pod where none is wanted any more, and keeps the old one while others do not serve', async () => {
    await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
    await settle();
    await taint('n1', [{ key: 'x', effect: 'NoSchedule' }]);
    const [second] = (await allPods()).filter((pod) => targetNode(pod) === 'n2');
    await setPhase(second!, 'Pending');
    await setTemplate(template('app:2'), '2');
    assert.equal(await shown(), 'n1 app:1, n2 app:2, n3 app:1, n3 app:2');
    await settle();
    assert.equal(await shown(), 'n2 app:2, n3 app:2');
  });

  it('leaves pods alone until they are deleted where the strategy says so', async () => {
    await create({ updateStrategy: { type: 'OnDelete' } });
    await settle();
    await setTemplate(template('app:2'), '2');
    assert.equal(await shown(), 'n1 app:1, n2 app:1, n3 app:1');
    const pod = (await allPods()).find((one) => targetNode(one) === 'n2')!;
    await fixture.client.delete(pods, { namespace: 'ns', name: pod.metadata.name! });
    await rest();
    assert.equal(await shown(), 'n1 app:1, n2 app:2, n3 app:1');
  });

  it('deletes failed pods, each time after a longer wait', async () => {
    await create();
    await settle();
    const fail = async (): Promise<string> => {
      const pod = (await allPods()).find((one) => targetNode(one) === 'n1')!;
      await setPhase(pod, 'Failed');
      return pod.metadata.uid!;
    };
    const isThere = async (uid: string): Promise<boolean> => (await allPods()).some((one) => one.metadata.uid === uid);
    assert.equal(await isThere(await fail()), false);
    assert.equal((await allPods()).length, 3);
    const second = await fail();
    assert.equal(await isThere(second), true);
    await fixture.clock.advance(1100);
    assert.equal(await isThere(second), false);
    const third = await fail();
    await fixture.clock.advance(1100);
    assert.equal(await isThere(third), true);
    await fixture.clock.advance(1000);
    assert.equal(await isThere(third), false);
    const { items } = await fixture.client.list(events, { namespace: 'ns' });
    assert.match(
      items.find(({ reason }) => reason === 'FailedDaemonPod')?.message ?? '',
      /on node n1, will try to kill/,
    );
  });

  it('waits as long where the clock of the host is set', async () => {
    await create();
    await settle();
    const failed = async (): Promise<Pod> => {
      const pod = (await allPods()).find((one) => targetNode(one) === 'n1')!;
      await setPhase(pod, 'Failed');
      return pod;
    };
    const isThere = async (pod: Pod): Promise<boolean> =>
      (await allPods()).some(({ metadata }) => metadata.uid === pod.metadata.uid);
    await failed();
    for (const [hours, waitMs] of [
      [1, 1100],
      [-1, 2100],
    ] as const) {
      fixture.clock.setWall(fixture.clock.wallMs() + hours * 3_600_000);
      const pod = await failed();
      assert.equal(await isThere(pod), true, 'not sooner');
      await fixture.clock.advance(waitMs);
      assert.equal(await isThere(pod), false, 'not later');
    }
  });

  it('drops revisions beyond its limit', async () => {
    await create({ revisionHistoryLimit: 1 });
    for (const generation of ['2', '3', '4']) {
      await settle();
      await setTemplate(template(`app:${generation}`), generation);
    }
    await settle();
    await rest();
    assert.deepEqual((await revisions()).map(({ revision }) => revision).sort(), [3, 4]);
  });

  it('goes on with the revision that an earlier controller has written', async () => {
    const data = { spec: { template: { $patch: 'replace', ...template('app:1') } } };
    Object.assign(data.spec.template.metadata!, { creationTimestamp: null });
    await fixture.client.create(controllerRevisions, {
      metadata: { namespace: 'ns', name: 'agent-abc', labels: { ...labels, 'controller-revision-hash': 'abc' } },
      data,
      revision: 7,
    });
    await create();
    const [revision, ...others] = await revisions();
    assert.deepEqual([revision!.revision, others.length, revision!.metadata.ownerReferences?.length], [7, 0, 1]);
    assert.equal((await allPods())[0]!.metadata.labels?.['controller-revision-hash'], 'abc');
  });

  it('creates no second pod where a server ends before it answers that it has stored the first', async () => {
    const recover = fixture.loseFirstPod();
    await create();
    await fixture.clock.advance(1000);
    assert.equal(await shown(), 'n1 app:1, n2 app:1, n3 app:1');
    recover();
    await fixture.clock.advance(60_000);
    assert.equal(await shown(), 'n1 app:1, n2 app:1, n3 app:1');
  });
});
