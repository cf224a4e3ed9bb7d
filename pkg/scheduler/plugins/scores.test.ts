import assert from 'node:assert/strict';
import { labelRequirement, LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { PodSpec } from '../../generated/types/core-v1.ts';
import { schedulingPlugins } from '../plugins.ts';
import { pending, TestCluster, testPod, type PodParts } from '../scheduler-testing.ts';

const HOSTNAME = 'kubernetes.io/hostname';

describe('the scores of the scheduler', () => {
  /** Points by node that a plugin gives a pod; undefined: all nodes are the same to it. */
  const scored = (name: string, cluster: TestCluster, parts: PodParts): Record<string, number> | undefined => {
    const view = cluster.cache.view();
    const plugin = schedulingPlugins.scores.find((one) => one.name === name)!;
    const points = plugin.score(pending(testPod('new', parts)), view.nodes, view);
    return points && Object.fromEntries(points.map((value, i) => [view.nodes[i]!.name, value]));
  };
  const spec = (parts: Partial<PodSpec>): PodParts => ({ spec: parts });

  it('prefer nodes of which more is left', () => {
    const cluster = new TestCluster()
      .addNode('a')
      .addNode('b')
      .addNode('c', { allocatable: { cpu: '0' } });
    cluster.addPod('a', 'one', { requests: { cpu: '1', memory: '4Gi' } });
    assert.deepEqual(scored('NodeResourcesFit', cluster, { requests: { cpu: '1', memory: '2Gi' } }), {
      a: 37,
      b: 75,
      c: 75,
    });
  });

  it('count containers without requests with a default', () => {
    const cluster = new TestCluster().addNode('a').addNode('b').addPod('a', 'one').addPod('a', 'two');
    const { a, b } = scored('NodeResourcesFit', cluster, {})!;
    assert.ok(a! < b!, `${a} and ${b}`);
  });

  it('prefer nodes whose CPU and memory are used alike', () => {
    const cluster = new TestCluster()
      .addNode('a')
      .addNode('b')
      .addPod('a', 'one', { requests: { cpu: '2' } });
    assert.deepEqual(
      scored('NodeResourcesBalancedAllocation', cluster, { requests: { cpu: '1', memory: '2Gi' } }),
      // 3 of 4 CPUs and 2 of 8 Gi with the default of the other pod, and a quarter of each.
      { a: 76, b: 100 },
    );
    assert.equal(scored('NodeResourcesBalancedAllocation', cluster, {}), undefined);
  });

  it('prefer nodes with labels by their weights, and avoid taints that only discourage', () => {
    const taints = [{ key: 'slow', effect: 'PreferNoSchedule' }];
    const cluster = new TestCluster()
      .addNode('a', { labels: { disk: 'ssd' } })
      .addNode('b', { labels: { disk: 'ssd', gpu: 'yes' } })
      .addNode('c', { spec: { taints } });
    const wish = (key: string, weight: number) => ({
      weight,
      preference: { matchExpressions: [{ key, operator: 'Exists' }] },
    });
    const preferred = [wish('disk', 30), wish('gpu', 30)];
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    assert.deepEqual(scored('NodeAffinity', cluster, spec({ affinity: { nodeAffinity } })), { a: 50, b: 100, c: 0 });
    assert.deepEqual(scored('TaintToleration', cluster, {}), { a: 100, b: 100, c: 0 });
    const tolerations = [{ key: 'slow', operator: 'Exists' }];
    assert.deepEqual(scored('TaintToleration', cluster, spec({ tolerations })), {
      a: 100,
      b: 100,
      c: 100,
    });
  });

  it('prefer nodes near pods that are wanted, and far from others', () => {
    const cluster = new TestCluster()
      .addNode('a', { labels: { zone: 'x' } })
      .addNode('b', { labels: { zone: 'x' } })
      .addNode('c', { labels: { zone: 'y' } })
      .addPod('a', 'friend', { labels: { app: 'friend' } })
      .addPod('b', 'foe', { labels: { app: 'foe' } });
    const term = (app: string, topologyKey: string) => ({
      weight: 10,
      podAffinityTerm: { labelSelector: { matchLabels: { app } }, topologyKey },
    });
    const affinity = {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term('friend', 'zone')] },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term('foe', HOSTNAME)] },
    };
    assert.deepEqual(scored('InterPodAffinity', cluster, spec({ affinity })), { a: 100, b: 0, c: 0 });
  });

  describe('of spreading', () => {
    const addTo = (cluster: TestCluster, node: string, count: number): void => {
      for (let i = 0; i < count; i++) cluster.addPod(node, `${node}-${i}`, { labels: { app: 'web' } });
    };
    const constraint = (topologyKey: string) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'web' } },
    });

    it('prefer nodes and zones with fewer pods of the same workload', () => {
      const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } });
      const cluster = new TestCluster().addNode('a', zone('x')).addNode('b', zone('x')).addNode('c', zone('y'));
      cluster.selector = new LabelSelector([labelRequirement('app', 'in', ['web'])]);
      addTo(cluster, 'a', 2);
      const points = scored('PodTopologySpread', cluster, { labels: { app: 'web' } })!;
      assert.ok(points.a! < points.b! && points.b! < points.c!, JSON.stringify(points));
    });

    it('count by node, and leave out nodes without the label', () => {
      const cluster = new TestCluster()
        .addNode('a')
        .addNode('b')
        .addNode('c', { labels: { [HOSTNAME]: '' } });
      addTo(cluster, 'a', 4);
      addTo(cluster, 'b', 1);
      const wish = { labels: { app: 'web' }, ...spec({ topologySpreadConstraints: [constraint(HOSTNAME)] }) };
      assert.deepEqual(scored('PodTopologySpread', cluster, wish), { a: 0, b: 66, c: 100 });
    });

    it('have nothing to say of nodes without any domain', () => {
      const cluster = new TestCluster().addNode('a', { labels: { rack: '1' } }).addNode('b');
      const wish = { labels: { app: 'web' }, ...spec({ topologySpreadConstraints: [constraint('rack')] }) };
      assert.deepEqual(scored('PodTopologySpread', cluster, wish), { a: 100, b: 0 });
    });
  });

  it('prefer nodes that have the images', () => {
    const images = [{ names: ['app:1'], sizeBytes: 500 * 1024 * 1024 }];
    const cluster = new TestCluster().addNode('a', { images }).addNode('b');
    const { a, b } = scored('ImageLocality', cluster, {})!;
    assert.ok(a! > b! && b === 0, `${a} and ${b}`);
  });
});
