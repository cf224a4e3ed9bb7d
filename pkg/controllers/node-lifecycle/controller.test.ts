import assert from 'node:assert/strict';
import { leases } from '../../api/coordination/tokens.ts';
import { events, nodes, pods } from '../../api/core/tokens.ts';
import { formatMicroTime, formatTime } from '../../apimachinery/values/time.ts';
import type { Node, NodeSpec } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { nodeLifecycleController } from './controller.ts';

const CONFIG = {
  nodeLifecycle: {
    monitorPeriodMs: 5000,
    monitorGraceMs: 40_000,
    startupGraceMs: 60_000,
    evictionRate: 0.1,
    secondaryEvictionRate: 0.01,
    largeClusterSize: 50,
    unhealthyZoneThreshold: 0.55,
  },
} as ControllersConfig;

const ZONE = 'topology.kubernetes.io/zone';

describe('the node lifecycle controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.start(nodeLifecycleController.create(fixture.context, CONFIG)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  const now = (): string => formatTime(new Date(fixture.clock.wallMs()));
  const get = (name: string): Promise<Node> => fixture.client.get(nodes, { name });
  const taints = async (name: string): Promise<string[]> =>
    ((await get(name)).spec.taints ?? []).map(({ key, effect }) => `${key.replace(/.*\//, '')}:${effect}`).toSorted();
  const readiness = async (name: string): Promise<string | undefined> =>
    (await get(name)).status.conditions?.find(({ type }) => type === 'Ready')?.status;
  const create = (name: string, labels: Record<string, string> = {}, spec: NodeSpec = {}): Promise<Node> =>
    fixture.client.create(nodes, {
      metadata: { name, labels, creationTimestamp: now() },
      spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], ...spec },
      status: {} as Node['status'],
    });
  const post = (name: string, status = 'True', heartbeat = now()): Promise<Node> => {
    const condition = (type: string, value: string) => ({
      type,
      status: value,
      lastHeartbeatTime: heartbeat,
      lastTransitionTime: heartbeat,
    });
    const conditions = [condition('Ready', status), condition('MemoryPressure', 'False')];
    return fixture.client.patch(nodes, { name }, 'merge', { status: { conditions } }, { subresource: 'status' });
  };
  const said = async (): Promise<string[]> => {
    await fixture.context.recorder('node-controller').flush();
    const { items } = await fixture.client.list(events);
    return items.map(({ reason, involvedObject, message }) => `${reason} ${involvedObject?.name}: ${message}`);
  };
  const seconds = (count: number): Promise<void> => fixture.clock.advance(count * 1000);
  /** Posts for some nodes every ten seconds. */
  async function postFor(names: readonly string[], duration: number): Promise<void> {
    for (let passed = 0; passed < duration; passed += 10) {
      for (const name of names) await post(name);
      await seconds(10);
    }
  }

  it('registers a node, and takes its taint when it is ready', async () => {
    await create('a', { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'x' });
    await post('a', 'False');
    await seconds(0);
    assert.deepEqual(await taints('a'), ['not-ready:NoSchedule']);
    await post('a');
    await seconds(0);
    assert.deepEqual(await taints('a'), []);
    const { labels } = (await get('a')).metadata;
    assert.deepEqual([labels?.['beta.kubernetes.io/os'], labels?.['beta.kubernetes.io/arch']], ['linux', 'arm64']);
    assert.deepEqual(await said(), ['RegisteredNode a: Node a event: Registered Node a in Controller']);
    await fixture.client.delete(nodes, { name: 'a' });
    await seconds(0);
    assert.equal((await said()).at(-1), 'RemovingNode a: Node a event: Removing Node a from Controller');
  });

  it('finds a node that is silent, and lets it come back only with a newer heartbeat', async () => {
    for (const name of ['a', 'b']) await create(name);
    const pod = { metadata: { namespace: 'ns', name: 'p' }, spec: { nodeName: 'a', containers: [] } };
    const ready = { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null };
    await fixture.client.create(pods, { ...pod, status: { phase: 'Running', conditions: [ready] } });
    const last = now();
    await post('a');
    await postFor(['b'], 60);
    assert.equal(await readiness('a'), 'Unknown');
    const { conditions } = (await get('a')).status;
    assert.deepEqual(
      conditions!.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
      [
        'Ready Unknown NodeStatusUnknown',
        'MemoryPressure Unknown NodeStatusUnknown',
        'DiskPressure Unknown NodeStatusNeverUpdated',
        'PIDPressure Unknown NodeStatusNeverUpdated',
      ],
    );
    assert.deepEqual(await taints('a'), ['unreachable:NoExecute', 'unreachable:NoSchedule']);
    const [marked] = (await fixture.client.get(pods, pod.metadata)).status.conditions!;
    assert.deepEqual([marked!.status, marked!.lastTransitionTime === null], ['False', false]);
    const notReady = (await said()).filter((text) => text.startsWith('NodeNotReady'));
    assert.deepEqual(notReady.toSorted(), [
      'NodeNotReady a: Node a status is now: NodeNotReady',
      'NodeNotReady p: Node is not ready',
    ]);

    await post('a', 'True', last);
    await postFor(['b'], 10);
    assert.equal(await readiness('a'), 'Unknown');
    await post('a');
    await seconds(10);
    assert.deepEqual([await readiness('a'), await taints('a')], ['True', []]);
  });

  it('takes a renewed lease for a sign of life', async () => {
    await create('a');
    await create('b');
    for (const name of ['a', 'b']) await post(name);
    const name = { namespace: 'kube-node-lease', name: 'a' };
    const spec = (): { readonly spec: { readonly renewTime: string } } => ({
      spec: { renewTime: formatMicroTime(new Date(fixture.clock.wallMs())) },
    });
    await fixture.client.create(leases, { metadata: name, ...spec() });
    for (let i = 0; i < 10; i++) {
      await seconds(10);
      await fixture.client.patch(leases, name, 'merge', spec());
    }
    assert.deepEqual([await readiness('a'), await readiness('b')], ['True', 'Unknown']);
  });

  it('gives a node that never posted the time to start', async () => {
    await create('well');
    await create('a');
    await postFor(['well'], 60);
    assert.equal(await readiness('a'), undefined);
    await postFor(['well'], 10);
    const ready = (await get('a')).status.conditions!.find(({ type }) => type === 'Ready')!;
    assert.deepEqual([ready.status, ready.reason], ['Unknown', 'NodeStatusNeverUpdated']);
  });

  it('changes the reason of a taint at once', async () => {
    for (const name of ['a', 'b']) await create(name);
    await post('a', 'False');
    await postFor(['b'], 20);
    assert.deepEqual(await taints('a'), ['not-ready:NoExecute', 'not-ready:NoSchedule']);
    await postFor(['b'], 60);
    assert.deepEqual(await taints('a'), ['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  it('taints the nodes of a zone one after the other', async () => {
    const names = ['a', 'b', 'c'];
    for (const name of names) await create(name, { [ZONE]: 'x' });
    for (const name of ['d', 'e', 'f']) await create(name, { [ZONE]: 'x' });
    await postFor(['d', 'e', 'f'], 10);
    for (const name of names) await post(name, 'False');
    const counts: number[] = [];
    for (let i = 0; i < 4; i++) {
      await postFor(['d', 'e', 'f'], 10);
      const all = await Promise.all(names.map(taints));
      counts.push(all.filter((keys) => keys.includes('not-ready:NoExecute')).length);
    }
    assert.deepEqual(counts, [1, 2, 3, 3]);
  });

  it('stops evictions where most of a small zone is lost', async () => {
    const lost = ['a', 'b', 'c'];
    for (const name of [...lost, 'd']) await create(name, { [ZONE]: 'x' });
    await create('y', { [ZONE]: 'y' });
    await postFor(['a', 'b', 'c', 'd', 'y'], 10);
    for (const name of lost) await post(name, 'False');
    for (let i = 0; i < 5; i++) {
      await postFor(['d', 'y'], 10);
      for (const name of lost) await post(name, 'False');
    }
    const all = await Promise.all(lost.map(taints));
    // One may have had its turn before the state of the zone was known.
    assert.ok(all.filter((keys) => keys.includes('not-ready:NoExecute')).length <= 1);
  });

  it('evicts no pod where every node is lost, and gives all time when one is back', async () => {
    for (const name of ['a', 'b']) await create(name);
    await postFor(['a', 'b'], 10);
    await seconds(120);
    assert.deepEqual([await readiness('a'), await readiness('b')], ['Unknown', 'Unknown']);
    assert.deepEqual([await taints('a'), await taints('b')], [['unreachable:NoSchedule'], ['unreachable:NoSchedule']]);
    await postFor(['a'], 60);
    assert.deepEqual(await taints('b'), ['unreachable:NoExecute', 'unreachable:NoSchedule']);
  });

  it('marks a ready pod that gets to a lost node', async () => {
    for (const name of ['a', 'b']) await create(name);
    await post('a');
    await postFor(['b'], 60);
    const metadata = { namespace: 'ns', name: 'p' };
    await fixture.client.create(pods, {
      metadata,
      spec: { nodeName: 'a', containers: [] },
      status: { conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }] },
    });
    await seconds(0);
    assert.equal((await fixture.client.get(pods, metadata)).status.conditions![0]!.status, 'False');
  });
});
