import assert from 'node:assert/strict';
import { events, persistentVolumeClaims, persistentVolumes, pods } from '../../api/core/tokens.ts';
import { storageClasses } from '../../api/storage/tokens.ts';
import type { Event, PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { StorageClass } from '../../generated/types/storage-v1.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import type { VolumeProvisioner } from '../providers/volume-provisioner.ts';
import { persistentVolumeBinderWith } from './controller.ts';

const CONFIG = {
  binderPeriodMs: 15_000,
  forceDetachOnTimeout: true,
  dynamicProvisioning: true,
  hostPathProvisioner: true,
  recyclers: {
    hostPath: { minimumSeconds: 60, incrementSeconds: 30 },
    nfs: { minimumSeconds: 300, incrementSeconds: 30 },
  },
};
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

class FakeProvisioner implements VolumeProvisioner {
  readonly name = 'kubernetes.io/fake';
  provisions = true;
  readonly supportsMountOptions = false;
  readonly deleted: string[] = [];
  failure: string | undefined;

  owns({ spec }: PersistentVolume): boolean {
    return spec.hostPath !== undefined;
  }

  provision(): ReturnType<VolumeProvisioner['provision']> {
    if (this.failure !== undefined) return Promise.reject(new Error(this.failure));
    return Promise.resolve({ source: { hostPath: { path: '/made' } }, accessModes: ['ReadWriteOnce'] });
  }

  delete({ metadata }: PersistentVolume): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(new Error(this.failure));
    this.deleted.push(metadata.name!);
    return Promise.resolve();
  }
}

describe('the persistent volume binder', () => {
  let fixture: ControllersFixture;
  let provisioner: FakeProvisioner;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    provisioner = new FakeProvisioner();
    await fixture.start(persistentVolumeBinderWith(fixture.context, CONFIG, [provisioner]));
  });
  afterEach(() => fixture.stop());

  const volume = (name: string, storage: string, spec: Partial<PersistentVolume['spec']> = {}): Promise<unknown> =>
    fixture.client.create(persistentVolumes, {
      metadata: { name },
      spec: {
        capacity: { storage },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/data' },
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'slow',
        ...spec,
      },
      status: { phase: 'Pending' },
    });
  const claim = (
    name: string,
    storage: string,
    spec: Partial<PersistentVolumeClaim['spec']> = {},
  ): Promise<PersistentVolumeClaim> =>
    fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'ns', name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage } },
        storageClassName: 'slow',
        ...spec,
      },
      status: { phase: 'Pending' },
    });
  const storageClass = (name: string, parts: Partial<StorageClass> = {}): Promise<unknown> =>
    fixture.client.create(storageClasses, { metadata: { name }, provisioner: 'kubernetes.io/fake', ...parts });
  const pass = (): Promise<void> => fixture.clock.advance(1000);
  const claimNow = (name: string): Promise<PersistentVolumeClaim> =>
    fixture.client.get(persistentVolumeClaims, { namespace: 'ns', name });
  const volumeNow = (name: string): Promise<PersistentVolume> => fixture.client.get(persistentVolumes, { name });
  /** `phase volume` */
  const place = async (name: string): Promise<string> => {
    const { spec, status } = await claimNow(name);
    return `${status.phase} ${spec.volumeName ?? ''}`;
  };
  const said = async (): Promise<string[]> => {
    await fixture.context.recorder('persistentvolume-controller').flush();
    return (await fixture.client.list(events)).items.map(({ reason, message }) => `${reason}: ${message}`);
  };

  it('binds claims to the smallest volume that fits, those with fewer access modes first', async () => {
    await volume('small', '1Gi');
    await volume('middle', '5Gi', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] });
    await volume('large', '10Gi');
    await claim('two', '2Gi');
    await claim('one', '1Gi');
    await pass();
    assert.equal(await place('two'), 'Bound large');
    assert.equal(await place('one'), 'Bound small');
    assert.equal((await volumeNow('middle')).status.phase, 'Available');
    const bound = await claimNow('two');
    assert.deepEqual(bound.status.capacity, { storage: '10Gi' });
    assert.deepEqual(bound.metadata.annotations, {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    const { spec, metadata } = await volumeNow('large');
    assert.equal(spec.claimRef?.uid, bound.metadata.uid);
    assert.deepEqual(metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
  });

  it('never gives one volume to two claims', async () => {
    for (const name of ['a', 'b', 'c']) await claim(name, '1Gi');
    await volume('one', '1Gi');
    await volume('two', '1Gi');
    await pass();
    const places = await Promise.all(['a', 'b', 'c'].map(place));
    assert.deepEqual(places.toSorted(), ['Bound one', 'Bound two', 'Pending ']);
  });

  it('keeps what the authors of claims and volumes chose', async () => {
    await volume('for', '1Gi', { claimRef: { namespace: 'ns', name: 'mine' } });
    await volume('named', '2Gi');
    await claim('chooses', '1Gi', { volumeName: 'named' });
    await claim('mine', '1Gi');
    await pass();
    await claim('late', '1Gi', { volumeName: 'named' });
    await pass();
    assert.equal(await place('chooses'), 'Bound named');
    assert.equal(await place('mine'), 'Bound for');
    assert.equal(await place('late'), 'Pending named');
    assert.deepEqual((await volumeNow('for')).metadata.annotations ?? {}, {});
    assert.ok((await said()).includes('FailedBinding: volume "named" already bound to a different claim.'));
  });

  it('says why a claim cannot have the volume that it names', async () => {
    await volume('tiny', '1Gi');
    await claim('big', '2Gi', { volumeName: 'tiny' });
    await pass();
    assert.ok(
      (await said()).includes('VolumeMismatch: Cannot bind to requested volume "tiny": requested PV is too small'),
    );
  });

  it('waits for the first pod where the class says so', async () => {
    await storageClass('slow', { volumeBindingMode: 'WaitForFirstConsumer' });
    await volume('one', '1Gi');
    await claim('a', '1Gi');
    await pass();
    assert.equal(await place('a'), 'Pending ');
    await fixture.client.create(pods, {
      metadata: { namespace: 'ns', name: 'user' },
      spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'a' } }] },
      status: {},
    });
    await fixture.clock.advance(15_000);
    const all = await said();
    assert.ok(all.includes('WaitForFirstConsumer: waiting for first consumer to be created before binding'));
    assert.ok(all.includes('WaitForPodScheduled: waiting for pod user to be scheduled'));
    await fixture.client.create(pods, {
      metadata: { namespace: 'ns', name: 'second' },
      spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'a' } }] },
      status: {},
    });
    await fixture.clock.advance(15_000);
    assert.match((await said()).join('\n'), /waiting for pods (user,second|second,user) to be scheduled/);
    const { metadata, spec } = await claimNow('a');
    const claimRef = { namespace: 'ns', name: 'a', uid: metadata.uid };
    // As the scheduler decides.
    await fixture.client.patch(persistentVolumes, { name: 'one' }, 'merge', { spec: { claimRef } });
    await pass();
    assert.equal(spec.volumeName, undefined);
    assert.equal(await place('a'), 'Bound one');
  });

  it('has volumes made, and deletes them with their claims', async () => {
    await storageClass('slow');
    await claim('a', '3Gi');
    await pass();
    const name = `pvc-${(await claimNow('a')).metadata.uid}`;
    assert.equal(await place('a'), `Bound ${name}`);
    const { spec, metadata } = await volumeNow(name);
    assert.equal(spec.persistentVolumeReclaimPolicy, 'Delete');
    assert.equal(metadata.annotations?.['pv.kubernetes.io/provisioned-by'], 'kubernetes.io/fake');
    assert.deepEqual(metadata.finalizers, ['kubernetes.io/pv-controller']);
    await fixture.client.delete(persistentVolumeClaims, { namespace: 'ns', name: 'a' });
    await pass();
    assert.deepEqual(provisioner.deleted, [name]);
    assert.equal((await fixture.client.list(persistentVolumes)).items.length, 0);
    assert.deepEqual(await said(), [
      `ProvisioningSucceeded: Successfully provisioned volume ${name} using kubernetes.io/fake`,
    ]);
  });

  it('leaves volumes of other provisioners to them', async () => {
    await storageClass('slow', { provisioner: 'csi.example.org' });
    await claim('a', '1Gi');
    await pass();
    const { annotations } = (await claimNow('a')).metadata;
    assert.equal(annotations?.['volume.kubernetes.io/storage-provisioner'], 'csi.example.org');
    assert.equal(annotations?.['volume.beta.kubernetes.io/storage-provisioner'], 'csi.example.org');
    assert.match(
      (await said()).join(),
      /^ExternalProvisioning: .* external provisioner 'csi\.example\.org' or manually/,
    );
    await volume('csi', '1Gi', {
      hostPath: undefined,
      csi: { driver: 'csi.example.org', volumeHandle: 'h' },
      persistentVolumeReclaimPolicy: 'Delete',
    });
    await pass();
    await fixture.client.delete(persistentVolumeClaims, { namespace: 'ns', name: 'a' });
    await pass();
    assert.equal((await volumeNow('csi')).status.phase, 'Released');
  });

  it('says why no volume is made', async () => {
    await claim('no-class', '1Gi', { storageClassName: '' });
    await claim('unknown', '1Gi', { storageClassName: 'none' });
    await storageClass('manual', { provisioner: 'kubernetes.io/no-provisioner' });
    await claim('manual', '1Gi', { storageClassName: 'manual' });
    await storageClass('nfs', { provisioner: 'kubernetes.io/nfs' });
    await claim('nfs', '1Gi', { storageClassName: 'nfs' });
    provisioner.provisions = false;
    await storageClass('off');
    await claim('off', '1Gi', { storageClassName: 'off' });
    await pass();
    assert.deepEqual((await said()).toSorted(), [
      'FailedBinding: no persistent volumes available for this claim and no storage class is set',
      'ProvisioningFailed: Failed to create provisioner: provisioning in volume plugin "kubernetes.io/fake" is disabled',
      'ProvisioningFailed: no provisionable volume plugin matched',
      'ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
      'ProvisioningFailed: storageclass.storage.k8s.io "none" not found',
    ]);
  });

  it('gives claims without a class the default one that came last', async () => {
    await claim('a', '1Gi', { storageClassName: undefined });
    await pass();
    await storageClass('old', { metadata: { name: 'old', annotations: { [DEFAULT_CLASS]: 'true' } } });
    await pass();
    assert.equal((await claimNow('a')).spec.storageClassName, 'old');
    assert.equal((await claimNow('a')).status.phase, 'Bound');
  });

  it('reclaims by the policy, and tries again', async () => {
    provisioner.failure = 'not now';
    for (const persistentVolumeReclaimPolicy of ['Retain', 'Delete', 'Recycle']) {
      await volume(persistentVolumeReclaimPolicy.toLowerCase(), '1Gi', { persistentVolumeReclaimPolicy });
      await claim(persistentVolumeReclaimPolicy.toLowerCase(), '1Gi', {
        volumeName: persistentVolumeReclaimPolicy.toLowerCase(),
      });
    }
    await pass();
    for (const name of ['retain', 'delete', 'recycle'])
      await fixture.client.delete(persistentVolumeClaims, { namespace: 'ns', name });
    await pass();
    assert.equal((await volumeNow('retain')).status.phase, 'Released');
    assert.equal((await volumeNow('recycle')).status.phase, 'Released');
    const { status } = await volumeNow('delete');
    assert.deepEqual([status.phase, status.message], ['Failed', 'not now']);
    provisioner.failure = undefined;
    await fixture.clock.advance(15_000);
    assert.deepEqual(provisioner.deleted, ['delete']);
    // Freed by hand.
    await claim('again', '1Gi');
    await fixture.client.patch(persistentVolumes, { name: 'retain' }, 'merge', { spec: { claimRef: null } });
    await pass();
    assert.equal(await place('again'), 'Bound retain');
  });

  it('recycles a volume by a pod, which other claims get after that', async () => {
    const recycle = { persistentVolumeReclaimPolicy: 'Recycle', capacity: { storage: '3Gi' } };
    await volume('one', '3Gi', recycle);
    await volume('other', '1Gi', { ...recycle, hostPath: undefined, iscsi: { iqn: 'i', targetPortal: 'p', lun: 0 } });
    for (const volumeName of ['one', 'other']) await claim(volumeName, '1Gi', { volumeName });
    await pass();
    const name = { namespace: 'ns', name: 'user' };
    await fixture.client.create(pods, {
      metadata: name,
      spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'one' } }] },
      status: {},
    });
    for (const gone of ['one', 'other'])
      await fixture.client.delete(persistentVolumeClaims, { namespace: 'ns', name: gone });
    await pass();
    await fixture.client.delete(pods, name, { gracePeriodSeconds: 0 });
    await fixture.clock.advance(15_000);
    const recycler = { namespace: 'default', name: 'recycler-for-one' };
    const { metadata, spec } = await fixture.client.get(pods, recycler);
    assert.deepEqual(
      [spec.volumes, Number(spec.activeDeadlineSeconds)],
      [[{ name: 'vol', hostPath: { path: '/data' } }], 90],
    );
    await fixture.client.create(events, {
      metadata: { namespace: 'default', name: 'e' },
      involvedObject: { kind: 'Pod', ...recycler, uid: metadata.uid! },
      type: 'Normal',
      message: 'Started',
    } as Event);
    const end = async (phase: string): Promise<void> => {
      await fixture.client.patch(pods, recycler, 'merge', { status: { phase } }, { subresource: 'status' });
      await pass();
    };
    await end('Failed');
    const failed = 'Recycle failed: failed to recycle volume: pod failed, pod.Status.Message unknown';
    const { status } = await volumeNow('one');
    assert.deepEqual([status.phase, status.message], ['Failed', failed]);
    await fixture.clock.advance(15_000);
    await end('Succeeded');
    await assert.rejects(fixture.client.get(pods, recycler), /not found/);
    const freed = await volumeNow('one');
    assert.deepEqual([freed.status.phase, freed.spec.claimRef], ['Available', undefined]);
    assert.deepEqual(
      (await said()).filter((text) => text !== 'undefined: Started'),
      [
        'VolumeFailedRecycle: Volume is used by pods: ns/user',
        'RecyclerPod: Recycler pod: Started',
        `VolumeFailedRecycle: ${failed}`,
        'VolumeRecycled: Volume recycled',
        'VolumeFailedRecycle: No recycler plugin found for the volume!',
      ],
    );
  });

  it('keeps volumes that it made from being deleted as long as their data is to be', async () => {
    await storageClass('slow');
    await claim('a', '1Gi');
    await pass();
    const name = (await claimNow('a')).spec.volumeName!;
    const policy = async (persistentVolumeReclaimPolicy: string): Promise<readonly string[]> => {
      await fixture.client.patch(persistentVolumes, { name }, 'merge', { spec: { persistentVolumeReclaimPolicy } });
      await pass();
      return (await volumeNow(name)).metadata.finalizers ?? [];
    };
    assert.deepEqual(await policy('Retain'), []);
    assert.deepEqual(await policy('Delete'), ['kubernetes.io/pv-controller']);
  });

  it('says why volumes are not deleted, and which modes do not fit', async () => {
    const deleted = { persistentVolumeReclaimPolicy: 'Delete', hostPath: undefined };
    await volume('nfs', '1Gi', { ...deleted, nfs: { server: 's', path: '/' } });
    await volume('iscsi', '1Gi', { ...deleted, iscsi: { iqn: 'i', targetPortal: 'p', lun: 0 } });
    for (const volumeName of ['nfs', 'iscsi']) await claim(volumeName, '1Gi', { volumeName });
    await pass();
    for (const name of ['nfs', 'iscsi']) await fixture.client.delete(persistentVolumeClaims, { namespace: 'ns', name });
    const { metadata } = await claim('raw', '1Gi', { volumeMode: 'Block' });
    await volume('files', '1Gi', { claimRef: { namespace: 'ns', name: 'raw', uid: metadata.uid! } });
    await pass();
    const head = 'VolumeFailedDelete: error getting deleter volume plugin for volume';
    const told = await said();
    for (const text of [
      `${head} "nfs": no deletable volume plugin matched`,
      `${head} "iscsi": no volume plugin matched`,
      'VolumeMismatch: Cannot bind PersistentVolume to requested PersistentVolumeClaim "raw" due to incompatible volumeMode.',
      'VolumeMismatch: Cannot bind PersistentVolume "files" to requested PersistentVolumeClaim due to incompatible volumeMode.',
    ])
      assert.ok(told.includes(text), text);
  });

  it('shows claims as lost whose volume is gone', async () => {
    await volume('one', '1Gi');
    await claim('a', '1Gi');
    await pass();
    await fixture.client.delete(persistentVolumes, { name: 'one' });
    await pass();
    assert.deepEqual((await claimNow('a')).status, { phase: 'Lost' });
    assert.deepEqual(await said(), [
      'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ]);
  });

  it('writes nothing where everything is settled', async () => {
    await volume('one', '1Gi');
    await claim('a', '1Gi');
    await pass();
    const before = fixture.requests.length;
    await fixture.clock.advance(60_000);
    assert.equal(fixture.requests.length, before);
  });
});
