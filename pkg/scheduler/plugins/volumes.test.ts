import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim, PodSpec } from '../../generated/types/core-v1.ts';
import type { StorageClass } from '../../generated/types/storage-v1.ts';
import { placedOn, TestCluster, testNode, type PodParts } from '../scheduler-testing.ts';
import { decideVolumes } from './volume-binding.ts';

const BOUND = { 'pv.kubernetes.io/bind-completed': 'yes' };

describe('volumes of pods, for the scheduler', () => {
  let cluster: TestCluster;
  beforeEach(() => {
    cluster = new TestCluster()
      .addNode('a', { labels: { 'topology.kubernetes.io/zone': 'x' } })
      .addNode('b', { labels: { 'topology.kubernetes.io/zone': 'y' } });
  });

  const addClaim = (
    name: string,
    spec: Partial<PersistentVolumeClaim['spec']> = {},
    more: Partial<PersistentVolumeClaim> = {},
  ): PersistentVolumeClaim => {
    const claim: PersistentVolumeClaim = {
      metadata: { name, namespace: 'default', uid: `claim-${name}`, ...more.metadata },
      spec: { resources: { requests: { storage: '1Gi' } }, ...spec },
      status: more.status ?? {},
    };
    cluster.claims.set(`default/${name}`, claim);
    return claim;
  };
  const addVolume = (name: string, spec: Partial<PersistentVolume['spec']> = {}, labels = {}): void => {
    cluster.volumes.set(name, {
      metadata: { name, labels },
      spec: { capacity: { storage: '1Gi' }, ...spec },
      status: { phase: 'Available' },
    });
  };
  const addClass = (name: string, parts: Partial<StorageClass> = {}): void => {
    cluster.classes.set(name, { metadata: { name }, provisioner: 'made.example.org', ...parts });
  };
  const bindClaim = (name: string, volumeName: string, spec: Partial<PersistentVolumeClaim['spec']> = {}): void => {
    addClaim(name, { ...spec, volumeName }, { metadata: { name, namespace: 'default', annotations: BOUND } });
  };
  const using = (...claims: string[]): PodParts => ({
    spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  });
  const onZone = (zone: string): PersistentVolume['spec']['nodeAffinity'] => ({
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] },
      ],
    },
  });
  const placed = (parts: PodParts): string => placedOn(cluster, parts);
  const refused = (reasons: string): string => `0/2 nodes are available: ${reasons}.`;

  describe('claims', () => {
    it('that are not there, lost or deleted keep a pod from every node', () => {
      assert.equal(placed(using('none')), refused('persistentvolumeclaim "none" not found'));
      addClaim('lost', { volumeName: 'gone' }, { status: { phase: 'Lost' } });
      assert.equal(
        placed(using('lost')),
        refused('persistentvolumeclaim "lost" bound to non-existent persistentvolume "gone"'),
      );
      const metadata = { name: 'old', namespace: 'default', deletionTimestamp: '2026-01-01T00:00:00Z' };
      addClaim('old', {}, { metadata });
      assert.equal(placed(using('old')), refused('persistentvolumeclaim "old" is being deleted'));
    });

    it('of ephemeral volumes must be there, and be made for the pod', () => {
      const spec: Partial<PodSpec> = { volumes: [{ name: 'scratch', ephemeral: {} }] };
      assert.equal(
        placed({ spec }),
        refused('waiting for ephemeral volume controller to create the persistentvolumeclaim "new-scratch"'),
      );
      addClaim('new-scratch');
      assert.equal(
        placed({ spec }),
        refused('PVC default/new-scratch was not created for pod default/new (pod is not owner)'),
      );
    });

    it('that are bound at once must be bound before', () => {
      addClass('now');
      addClaim('data', { storageClassName: 'now' });
      assert.equal(placed(using('data')), refused('pod has unbound immediate PersistentVolumeClaims'));
    });

    it('that are bound bring the pod to their volume', () => {
      bindClaim('data', 'disk');
      assert.equal(placed(using('data')), refused('persistentvolume "disk" not found'));
      addVolume('disk', { nodeAffinity: onZone('y') });
      assert.equal(placed(using('data')), 'b');
      addVolume('disk', { nodeAffinity: onZone('z') });
      assert.equal(placed(using('data')), refused("2 node(s) didn't match PersistentVolume's node affinity"));
    });
  });

  it('names every reason of a node', () => {
    addVolume('there', { nodeAffinity: onZone('z') });
    bindClaim('has', 'there');
    addClass('slow', { volumeBindingMode: 'WaitForFirstConsumer', provisioner: 'kubernetes.io/no-provisioner' });
    addClaim('wants', { storageClassName: 'slow' });
    assert.equal(
      placed(using('has', 'wants')),
      refused(
        "2 node(s) didn't find available persistent volumes to bind, 2 node(s) didn't match PersistentVolume's node affinity",
      ),
    );
  });

  describe('claims that wait for a pod', () => {
    beforeEach(() => addClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' }));
    const waiting = (name: string, storage = '1Gi', annotations = {}): PersistentVolumeClaim =>
      addClaim(
        name,
        { storageClassName: 'wait', resources: { requests: { storage } } },
        { metadata: { name, namespace: 'default', annotations } },
      );

    it('get a volume that is there', () => {
      addClass('wait', { volumeBindingMode: 'WaitForFirstConsumer', provisioner: 'kubernetes.io/no-provisioner' });
      waiting('data');
      const nothing = refused("2 node(s) didn't find available persistent volumes to bind");
      assert.equal(placed(using('data')), nothing);
      addVolume('disk', { storageClassName: 'wait', nodeAffinity: onZone('y') });
      assert.equal(placed(using('data')), 'b');
      waiting('more');
      assert.equal(placed(using('data', 'more')), nothing);
    });

    it('get a new volume where the class allows it', () => {
      waiting('data');
      const allowedTopologies = [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['y'] }] }];
      addClass('wait', { volumeBindingMode: 'WaitForFirstConsumer', allowedTopologies });
      assert.equal(placed(using('data')), 'b');
    });

    it('go where a driver that reports its room has enough', () => {
      waiting('data', '5Gi');
      const nothing = refused('2 node(s) did not have enough free storage');
      const room = (capacity: string, zone: string, more: object = {}): void =>
        void cluster.storageCapacities.push({
          metadata: { name: `of-${zone}` },
          storageClassName: 'wait',
          nodeTopology: { matchLabels: { 'topology.kubernetes.io/zone': zone } },
          capacity,
          ...more,
        });
      cluster.csiDrivers.set('made.example.org', { metadata: {}, spec: { storageCapacity: true } });
      assert.equal(placed(using('data')), nothing);
      room('4Gi', 'x');
      room('9Gi', 'y', { maximumVolumeSize: '3Gi' });
      room('9Gi', 'y', { storageClassName: 'other' });
      assert.equal(placed(using('data')), nothing);
      room('9Gi', 'y');
      assert.equal(placed(using('data')), 'b');
    });

    it('stay with the node for which a volume is being made', () => {
      waiting('data', '1Gi', { 'volume.kubernetes.io/selected-node': 'a' });
      assert.equal(placed(using('data')), 'a');
      waiting('more', '1Gi', { 'volume.kubernetes.io/selected-node': 'b' });
      assert.equal(
        placed(using('data', 'more')),
        refused("2 node(s) didn't find available persistent volumes to bind"),
      );
    });

    it('take volumes from the smallest claim to the largest', () => {
      const [large, small] = [waiting('large', '5Gi'), waiting('small', '1Gi')];
      addVolume('ten', { storageClassName: 'wait', capacity: { storage: '10Gi' } });
      addVolume('five', { storageClassName: 'wait', capacity: { storage: '5Gi' } });
      const decisions = decideVolumes([large, small], testNode('a'), cluster.cache.view().volumes);
      assert.ok('bind' in decisions);
      const { bind, provision } = decisions;
      assert.deepEqual(
        bind.map(({ claim, volume }) => [claim.metadata.name, volume.metadata.name]),
        [
          ['small', 'five'],
          ['large', 'ten'],
        ],
      );
      assert.deepEqual(provision, []);
    });
  });

  it('with labels of zones are used in those', () => {
    bindClaim('data', 'disk');
    addVolume('disk', {}, { 'topology.kubernetes.io/zone': 'y__z' });
    assert.equal(placed(using('data')), 'b');
    addVolume('disk', {}, { 'failure-domain.beta.kubernetes.io/zone': 'x' });
    assert.equal(placed(using('data')), 'a');
    addVolume('disk', {}, { 'topology.kubernetes.io/region': 'far' });
    assert.equal(placed(using('data')), refused('2 node(s) had no available volume zone'));
    // A node that says nothing of zones has none to differ in.
    cluster.addNode('c');
    assert.equal(placed(using('data')), 'c');
  });

  it('for one pod of the cluster are not shared', () => {
    bindClaim('data', 'disk', { accessModes: ['ReadWriteOncePod'] });
    addVolume('disk');
    assert.match(placed(using('data')), /^[ab]$/);
    cluster.addPod('a', 'user', using('data'));
    assert.equal(
      placed(using('data')),
      refused('2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'),
    );
    const other = { ...using('data'), namespace: 'other' };
    assert.equal(placed(other), refused('persistentvolumeclaim "data" not found'));
  });

  it('of a driver are as many on a node as it can attach', () => {
    const drivers = [{ name: 'csi.example.org', nodeID: 'n', topologyKeys: null, allocatable: { count: 2 } }];
    for (const name of ['a', 'b']) cluster.csiNodes.set(name, { metadata: { name }, spec: { drivers } } as never);
    for (const name of ['one', 'two', 'three']) {
      bindClaim(name, name);
      addVolume(name, { csi: { driver: 'csi.example.org', volumeHandle: name } });
    }
    cluster.addPod('a', 'first', using('one', 'two')).addPod('b', 'second', using('one', 'two'));
    assert.equal(placed(using('three')), refused('2 node(s) exceed max volume count'));
    assert.match(placed(using('two')), /^[ab]$/);
    addClass('made', { provisioner: 'csi.example.org', volumeBindingMode: 'WaitForFirstConsumer' });
    addClaim('new', { storageClassName: 'made' });
    assert.equal(placed(using('new')), refused('2 node(s) exceed max volume count'));
  });
});
