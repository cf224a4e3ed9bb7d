import assert from 'node:assert/strict';
import type { Node, PersistentVolume, Pod } from '../../generated/types/core-v1.ts';
import type { VolumeAttachment } from '../../generated/types/storage-v1.ts';
import { NodeGraph } from './node-graph.ts';

function pod(name: string, spec: object, metadata: object = {}): Pod {
  return {
    metadata: { name, namespace: 'ns', ...metadata },
    spec: { containers: [], nodeName: 'n1', ...spec },
    status: {},
  } as unknown as Pod;
}

function volume(name: string, spec: object): PersistentVolume {
  return { metadata: { name }, spec } as unknown as PersistentVolume;
}

describe('the graph of nodes', () => {
  let graph: NodeGraph;
  beforeEach(() => {
    graph = new NodeGraph();
  });
  const put = (object: Pod): void =>
    graph.pods.put(`pods/${object.metadata.namespace}/${object.metadata.name}`, object);
  const secrets = (node: string, ...names: string[]): boolean[] =>
    names.map((name) => graph.reaches(node, 'secrets', 'ns', name));

  it('leads from a pod to every secret that it names', () => {
    const named = (name: string): object => ({ secretRef: { name } });
    put(
      pod('p', {
        imagePullSecrets: [{ name: 'pull' }],
        initContainers: [{ name: 'i', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'init', key: 'k' } } }] }],
        containers: [{ name: 'c', envFrom: [named('from')], env: [{ name: 'B', value: 'b' }] }],
        ephemeralContainers: [{ name: 'e', envFrom: [named('debug')] }],
        volumes: [
          { name: 'a', secret: { secretName: 'vol' } },
          { name: 'b', projected: { sources: [{ secret: { name: 'part' } }, { downwardAPI: {} }] } },
          { name: 'c', cephfs: named('ceph') },
          { name: 'd', iscsi: named('iscsi') },
          { name: 'e', flexVolume: named('flex') },
          { name: 'f', rbd: named('rbd') },
          { name: 'g', cinder: named('cinder') },
          { name: 'h', scaleIO: named('scale') },
          { name: 'i', storageos: named('os') },
          { name: 'j', azureFile: { secretName: 'azure' } },
          { name: 'k', csi: { nodePublishSecretRef: { name: 'csi' } } },
        ],
      }),
    );
    const all = [
      'pull',
      'init',
      'from',
      'debug',
      'vol',
      'part',
      'ceph',
      'iscsi',
      'flex',
      'rbd',
      'cinder',
      'scale',
      'os',
      'azure',
      'csi',
    ];
    assert.deepEqual(
      secrets('n1', ...all),
      all.map(() => true),
    );
    assert.deepEqual(
      secrets('n2', ...all),
      all.map(() => false),
    );
    assert.equal(graph.reaches('n1', 'secrets', 'other', 'pull'), false);
    assert.equal(graph.reaches('n1', 'configmaps', 'ns', 'pull'), false);
  });

  it('leads to config maps, claims and the service account', () => {
    put(
      pod('p', {
        serviceAccountName: 'robot',
        containers: [
          {
            name: 'c',
            envFrom: [{ configMapRef: { name: 'a' } }],
            env: [{ name: 'B', valueFrom: { configMapKeyRef: { name: 'b', key: 'k' } } }],
          },
        ],
        volumes: [
          { name: 'v', configMap: { name: 'c' } },
          { name: 'w', projected: { sources: [{ configMap: { name: 'd' } }] } },
          { name: 'x', persistentVolumeClaim: { claimName: 'claim' } },
          { name: 'y', ephemeral: {} },
        ],
      }),
    );
    for (const name of ['a', 'b', 'c', 'd']) assert.equal(graph.reaches('n1', 'configmaps', 'ns', name), true, name);
    assert.deepEqual(
      ['claim', 'p-y', 'y'].map((name) => graph.reaches('n1', 'persistentvolumeclaims', 'ns', name)),
      [true, true, false],
    );
    assert.equal(graph.reaches('n1', 'serviceaccounts', 'ns', 'robot'), true);
  });

  it('gives nothing for pods without a node, nor for mirror pods', () => {
    put(pod('unscheduled', { nodeName: '', volumes: [{ name: 'v', secret: { secretName: 's' } }] }));
    put(
      pod(
        'mirror',
        { volumes: [{ name: 'v', secret: { secretName: 's' } }], serviceAccountName: 'robot' },
        { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      ),
    );
    assert.deepEqual(secrets('n1', 's'), [false]);
    assert.deepEqual(secrets('', 's'), [false]);
    assert.equal(graph.reaches('n1', 'serviceaccounts', 'ns', 'robot'), false);
  });

  it('removes links with the last pod', () => {
    const both = {
      volumes: [
        { name: 'v', secret: { secretName: 's' } },
        { name: 'w', secret: { secretName: 's' } },
      ],
    };
    put(pod('a', both));
    put(pod('b', both));
    graph.pods.remove('pods/ns/a');
    assert.deepEqual(secrets('n1', 's'), [true]);
    put(pod('b', { ...both, nodeName: 'n2' }));
    assert.deepEqual([secrets('n1', 's'), secrets('n2', 's')], [[false], [true]]);
    graph.pods.remove('pods/ns/b');
    graph.pods.remove('pods/ns/never');
    assert.deepEqual(secrets('n2', 's'), [false]);
    put(pod('c', both));
    graph.pods.clear();
    assert.deepEqual(secrets('n1', 's'), [false]);
  });

  it('leads through a claim to its volume and to the secrets that a node needs for it', () => {
    const claimRef = { namespace: 'ns', name: 'claim' };
    const csi = {
      nodeStageSecretRef: { namespace: 'csi', name: 'stage' },
      nodePublishSecretRef: { namespace: 'csi', name: 'publish' },
      controllerPublishSecretRef: { namespace: 'csi', name: 'control' },
    };
    graph.persistentVolumes.put('persistentvolumes/pv', volume('pv', { claimRef, csi }));
    graph.persistentVolumes.put(
      'persistentvolumes/old',
      volume('old', { claimRef, rbd: { secretRef: { name: 'local' } } }),
    );
    graph.persistentVolumes.put('persistentvolumes/free', volume('free', { csi }));
    const reached = (): boolean[] => [
      graph.reaches('n1', 'persistentvolumes', '', 'pv'),
      graph.reaches('n1', 'persistentvolumes', '', 'free'),
      ...['stage', 'publish', 'control'].map((name) => graph.reaches('n1', 'secrets', 'csi', name)),
      ...secrets('n1', 'local'),
    ];
    assert.deepEqual(reached(), [false, false, false, false, false, false]);
    put(pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }] }));
    assert.deepEqual(reached(), [true, false, true, true, false, true]);
    graph.persistentVolumes.put('persistentvolumes/pv', volume('pv', { csi }));
    assert.deepEqual(reached(), [false, false, false, false, false, true]);
    graph.persistentVolumes.remove('persistentvolumes/old');
    assert.deepEqual(reached(), [false, false, false, false, false, false]);
  });

  it('leads from attachments and from the configuration of a node', () => {
    graph.attachments.put('volumeattachments/va', {
      metadata: { name: 'va' },
      spec: { nodeName: 'n1', attacher: 'x', source: {} },
    } as VolumeAttachment);
    graph.nodes.put('minions/n1', {
      metadata: { name: 'n1' },
      spec: { configSource: { configMap: { namespace: 'ns', name: 'config', kubeletConfigKey: 'k' } } },
    } as unknown as Node);
    assert.deepEqual(
      [graph.reaches('n1', 'volumeattachments', '', 'va'), graph.reaches('n2', 'volumeattachments', '', 'va')],
      [true, false],
    );
    assert.deepEqual(
      [graph.reaches('n1', 'configmaps', 'ns', 'config'), graph.reaches('n2', 'configmaps', 'ns', 'config')],
      [true, false],
    );
  });
});
