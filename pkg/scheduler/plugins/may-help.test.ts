import assert from 'node:assert/strict';
import type { ClusterEvent } from '../cluster-event.ts';
import type { ResourceClaim } from '../../generated/types/resource-v1.ts';
import { podInfoOf } from '../pod-info.ts';
import { schedulingPlugins } from '../plugins.ts';
import { pending, TestCluster, testNode, testPod, type NodeParts, type PodParts } from '../scheduler-testing.ts';

const node = (parts: NodeParts = {}, old?: NodeParts): ClusterEvent => ({
  kind: 'node',
  old: old === undefined ? undefined : testNode('n', old),
  node: testNode('n', parts),
});
const podOf = (parts: PodParts) => podInfoOf(testPod('other', { ...parts, spec: { ...parts.spec, nodeName: 'n' } }));
const placed = (parts: PodParts): ClusterEvent => ({ kind: 'pod', old: undefined, pod: podOf(parts) });
const removed = (parts: PodParts): ClusterEvent => ({ kind: 'podRemoved', pod: podOf(parts) });
const claim = (name: string): ClusterEvent => ({
  kind: 'claim',
  object: { metadata: { namespace: 'default', name } },
});
const port = (hostPort: number): PodParts => ({
  spec: { containers: [{ name: 'c', resources: {}, ports: [{ containerPort: 1, hostPort }] }] },
});
const uses = (claimName: string): PodParts => ({
  spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] },
});
const term = { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'zone' };
const near: PodParts = {
  spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
};
const away: PodParts = {
  spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
};
const spread: PodParts = {
  spec: { topologySpreadConstraints: [{ ...term, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] },
};
const zone = (name: string): NodeParts => ({ labels: { zone: name } });
const devices: PodParts = { spec: { resourceClaims: [{ name: 'd', resourceClaimName: 'mine' }] } };
const ofClaim = (name: string, status: ResourceClaim['status']): ResourceClaim => ({
  metadata: { namespace: 'default', name },
  spec: { devices: { requests: [] } },
  status,
});
const resourceClaim = (now: ResourceClaim['status'], old?: ResourceClaim['status']): ClusterEvent => ({
  kind: 'resourceClaim',
  object: ofClaim('mine', now),
  ...(old === undefined ? {} : { old: ofClaim('mine', old) }),
});
const freed = (name: string): ClusterEvent => ({
  kind: 'resourceClaim',
  object: ofClaim(name, {}),
  old: ofClaim(name, { allocation: { devices: { results: [] } } }),
});
const a: PodParts = { labels: { app: 'a' } };
const cpus = (cpu: string): PodParts => ({ requests: { cpu } });
const tainted: NodeParts = { spec: { taints: [{ key: 'own', effect: 'NoSchedule' }] } };

/** Plugin, pod, what helps it, what does not. */
const cases: readonly (readonly [
  plugin: string,
  pod: PodParts,
  helpful: readonly ClusterEvent[],
  useless: readonly ClusterEvent[],
])[] = [
  [
    'NodeUnschedulable',
    {},
    [node(), node({}, { spec: { unschedulable: true } })],
    [node({ spec: { unschedulable: true } }), node({ labels: { x: 'y' } }, {}), removed({})],
  ],
  ['NodeName', { spec: { nodeName: 'n' } }, [node()], [placed({})]],
  ['TaintToleration', {}, [node({}, tainted)], [node(tainted), node({ labels: { x: 'y' } }, {}), removed({})]],
  [
    'NodeAffinity',
    { spec: { nodeSelector: { disk: 'ssd' } } },
    [node({ labels: { disk: 'ssd' } }), node({ labels: { disk: 'ssd' } }, {})],
    [
      node(),
      node({ labels: { disk: 'ssd' }, allocatable: { cpu: '9' } }, { labels: { disk: 'ssd' } }),
      node({ labels: { disk: 'ssd', x: 'y' } }, { labels: { disk: 'ssd' } }),
    ],
  ],
  ['NodePorts', port(80), [node(), removed(port(80))], [node({}, {}), removed(port(81)), removed({})]],
  [
    'NodeResourcesFit',
    cpus('3'),
    [node(), node({}, { allocatable: { cpu: '2' } }), removed({})],
    [node({ allocatable: { cpu: '2' } }), node({ labels: { x: 'y' } }, {}), placed({}), claim('c')],
  ],
  ['VolumeRestrictions', uses('c'), [claim('c'), removed(uses('c'))], [claim('d'), removed(uses('d')), node()]],
  ['NodeVolumeLimits', uses('c'), [claim('c'), removed(uses('d'))], [removed({}), node()]],
  ['VolumeBinding', uses('c'), [claim('c'), node()], [claim('d'), node({}, {}), removed(uses('c'))]],
  ['VolumeZone', uses('c'), [claim('c'), node({ labels: { zone: 'x' } }, {})], [claim('d'), node({}, {})]],
  [
    'PodTopologySpread',
    spread,
    [placed(a), removed(a), node(zone('x')), node(zone('x'), zone('y')), node(zone('x'), {}), node({}, zone('x'))],
    [placed({}), removed({}), node(), node({}, {}), node({ labels: { zone: 'x', other: 'y' } }, zone('x'))],
  ],
  [
    'InterPodAffinity',
    near,
    [placed(a), node(zone('x')), node(zone('x'), zone('y')), node(zone('x'), {})],
    [placed({}), removed({}), node(), node({}, {}), node({}, zone('x'))],
  ],
  [
    'InterPodAffinity',
    away,
    [removed(a), node(), node({}, zone('x'))],
    [removed({}), node({ labels: { x: 'y' } }, {})],
  ],
  ['InterPodAffinity', a, [removed(away), node()], [removed({}), placed({})]],
  ['DynamicResources', devices, [resourceClaim({}), freed('other')], [resourceClaim({}, {}), claim('c'), removed({})]],
];

describe('what may help a pod that a plugin rejected', () => {
  const cluster = new TestCluster();
  cluster.resourceClaims.set('default/mine', ofClaim('mine', {}));
  const view = cluster.cache.view();
  for (const [name, parts, helpful, useless] of cases)
    it(name, () => {
      const plugin = schedulingPlugins.filters.find((one) => one.name === name)!;
      const pod = pending(testPod('new', parts));
      for (const event of helpful) assert.ok(plugin.mayHelp(event, pod, view), JSON.stringify(event));
      for (const event of useless) assert.ok(!plugin.mayHelp(event, pod, view), JSON.stringify(event));
    });
});
