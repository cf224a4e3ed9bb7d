import assert from 'node:assert/strict';
import type { PodSpec } from '../../generated/types/core-v1.ts';
import { placedOn, TestCluster, type PodParts } from '../scheduler-testing.ts';

const spec = (parts: Partial<PodSpec>): PodParts => ({ spec: parts });
const near = (labels: Record<string, string>, topologyKey = 'zone'): Partial<PodSpec> => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: labels }, topologyKey }],
    },
  },
});
const away = (labels: Record<string, string>, topologyKey = 'zone'): Partial<PodSpec> => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: labels }, topologyKey }],
    },
  },
});
const spread = (parts: object): Partial<PodSpec> => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'a' } },
      ...parts,
    },
  ],
});

describe('the filters of the scheduler', () => {
  let cluster: TestCluster;
  beforeEach(() => {
    cluster = new TestCluster()
      .addNode('a', { labels: { zone: 'x', disk: 'ssd', cores: '8' } })
      .addNode('b', { labels: { zone: 'y' }, spec: { taints: [{ key: 'own', value: 'me', effect: 'NoSchedule' }] } })
      .addNode('c', { labels: { zone: 'y' }, spec: { unschedulable: true } });
  });

  const cases: readonly (readonly [what: string, parts: PodParts, result: string])[] = [
    ['a pod without wishes', {}, 'a'],
    ['a node by its name', spec({ nodeName: 'a' }), 'a'],
    [
      'more than any node has',
      { requests: { cpu: '5', memory: '9Gi' } },
      '0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.',
    ],
    [
      'a resource that no node has',
      { requests: { 'example.com/gpu': '1' } },
      '0/3 nodes are available: 1 Insufficient example.com/gpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.',
    ],
    [
      'a toleration for a taint',
      spec({ nodeSelector: { zone: 'y' }, tolerations: [{ key: 'own', operator: 'Exists' }] }),
      'b',
    ],
    [
      'a toleration of another value',
      spec({ nodeSelector: { zone: 'y' }, tolerations: [{ key: 'own', value: 'you' }] }),
      "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.",
    ],
    [
      'a node that is cordoned',
      spec({ nodeName: 'c', tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }),
      'c',
    ],
    ['a label of a node', spec({ nodeSelector: { disk: 'ssd' } }), 'a'],
    [
      'a label above a number',
      spec({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['7'] }] }],
            },
          },
        },
      }),
      'a',
    ],
    [
      'a node by its field',
      spec({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
            },
          },
        },
      }),
      "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    ],
  ];
  for (const [what, parts, result] of cases) it(`place ${what}`, () => assert.equal(placedOn(cluster, parts), result));

  it('count what pods on the node take, with their overhead and sidecars', () => {
    cluster = new TestCluster().addNode('a').addPod('a', 'one', {
      requests: { cpu: '1' },
      spec: {
        overhead: { cpu: '500m' },
        initContainers: [
          { name: 'side', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } },
          { name: 'first', resources: { requests: { cpu: '2' } } },
        ],
      },
    });
    // 3 while it starts and 0.5 of overhead, of 4.
    assert.equal(placedOn(cluster, { requests: { cpu: '500m' } }), 'a');
    assert.equal(placedOn(cluster, { requests: { cpu: '501m' } }), '0/1 nodes are available: 1 Insufficient cpu.');
  });

  it('count pods', () => {
    cluster = new TestCluster().addNode('a', { allocatable: { pods: '1' } }).addPod('a', 'one');
    assert.equal(placedOn(cluster, {}), '0/1 nodes are available: 1 Too many pods.');
  });

  it('give a port of the node to one pod, by address and protocol', () => {
    const ports = (hostPort: number, more: object = {}): PodParts =>
      spec({ containers: [{ name: 'main', resources: {}, ports: [{ containerPort: 1, hostPort, ...more }] }] });
    cluster = new TestCluster().addNode('a');
    cluster.addPod('a', 'one', ports(80)).addPod('a', 'two', ports(81, { hostIP: '10.0.0.1' }));
    const refused = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
    assert.equal(placedOn(cluster, ports(80)), refused);
    assert.equal(placedOn(cluster, ports(80, { hostIP: '10.0.0.2' })), refused);
    assert.equal(placedOn(cluster, ports(81)), refused);
    assert.equal(placedOn(cluster, ports(80, { protocol: 'UDP' })), 'a');
    assert.equal(placedOn(cluster, ports(81, { hostIP: '10.0.0.2' })), 'a');
  });

  it('keep pods that want each other together, the first of them anywhere', () => {
    cluster = new TestCluster().addNode('a', { labels: { zone: 'x' } }).addNode('b', { labels: { zone: 'y' } });
    const refused = "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.";
    assert.equal(placedOn(cluster, { spec: near({ app: 'a' }) }), refused);
    assert.notEqual(placedOn(cluster, { labels: { app: 'a' }, spec: near({ app: 'a' }) }), refused);
    cluster.addPod('b', 'friend', { labels: { app: 'a' } });
    assert.equal(placedOn(cluster, { spec: near({ app: 'a' }) }), 'b');
    assert.equal(placedOn(cluster, { namespace: 'other', spec: near({ app: 'a' }) }), refused);
  });

  it('keep pods apart that want it, on either side', () => {
    cluster = new TestCluster().addNode('a', { labels: { zone: 'x' } }).addNode('b', { labels: { zone: 'y' } });
    cluster.addPod('a', 'foe', { labels: { app: 'a' } });
    assert.equal(placedOn(cluster, { spec: away({ app: 'a' }) }), 'b');
    cluster.addPod('b', 'shy', { spec: away({ app: 'b' }) });
    assert.equal(
      placedOn(cluster, { labels: { app: 'b' }, spec: away({ app: 'a' }) }),
      "0/2 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 1 node(s) didn't satisfy existing pods anti-affinity rules.",
    );
  });

  it('keep pods with devices where they are allocated, and say what is missing', () => {
    const cluster = new TestCluster().addNode('a', { labels: { gpu: 'yes' } }).addNode('b');
    const wish = spec({ resourceClaims: [{ name: 'dev', resourceClaimName: 'gpu' }] });
    assert.match(placedOn(cluster, wish), /resourceclaim "gpu" not found\.$/);
    const requests = [{ name: 'one', exactly: { deviceClassName: 'gpu.example.org' } }];
    const claim = { metadata: { name: 'gpu' }, spec: { devices: { requests } }, status: {} };
    cluster.resourceClaims.set('default/gpu', claim);
    assert.match(placedOn(cluster, wish), /request one: device class gpu\.example\.org does not exist\.$/);
    cluster.deviceClasses.set('gpu.example.org', { metadata: { name: 'gpu.example.org' }, spec: {} });
    assert.match(placedOn(cluster, wish), /2 cannot allocate all claims\.$/);
    const matchExpressions = [{ key: 'gpu', operator: 'Exists' }];
    const allocation = { devices: {}, nodeSelector: { nodeSelectorTerms: [{ matchExpressions }] } };
    cluster.resourceClaims.set('default/gpu', { ...claim, status: { allocation } });
    assert.equal(placedOn(cluster, wish), 'a');
  });

  it('give a disk to one pod of a node, unless all only read it', () => {
    cluster = new TestCluster().addNode('a');
    const disk = (name: string, readOnly: boolean): PodParts =>
      spec({ volumes: [{ name: 'v', gcePersistentDisk: { pdName: name, readOnly } }] });
    const ceph = (monitors: string[]): PodParts => spec({ volumes: [{ name: 'v', rbd: { monitors, image: 'i' } }] });
    cluster.addPod('a', 'one', disk('d', true)).addPod('a', 'two', ceph(['x', 'y']));
    const refused = '0/1 nodes are available: 1 node(s) had no available disk.';
    assert.equal(placedOn(cluster, disk('d', true)), 'a');
    assert.equal(placedOn(cluster, disk('d', false)), refused);
    assert.equal(placedOn(cluster, ceph(['y', 'z'])), refused);
    assert.equal(placedOn(cluster, ceph(['z'])), 'a');
  });

  it('spread pods over the domains of a topology', () => {
    cluster = new TestCluster()
      .addNode('a', { labels: { zone: 'x' } })
      .addNode('b', { labels: { zone: 'y' } })
      .addPod('a', 'one', { labels: { app: 'a' } });
    const pod = (parts: object): PodParts => ({ labels: { app: 'a' }, spec: spread(parts) });
    assert.equal(placedOn(cluster, pod({})), 'b');
    cluster.addPod('b', 'two', { labels: { app: 'a' } }).addPod('b', 'three', { labels: { app: 'a' } });
    assert.equal(placedOn(cluster, pod({})), 'a');
    assert.equal(
      placedOn(cluster, pod({ minDomains: 3 })),
      "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.",
    );
    assert.equal(
      placedOn(cluster, pod({ topologyKey: 'none' })),
      "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints (missing required label).",
    );
  });
});
