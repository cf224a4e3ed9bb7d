import assert from 'node:assert/strict';
import { persistentVolumeClaims, persistentVolumes } from '../api/core/tokens.ts';
import { storageClasses } from '../api/storage/tokens.ts';
import { ControllersFixture } from '../controllers/controllers-testing.ts';
import type { PersistentVolumeClaim } from '../generated/types/core-v1.ts';
import type { StorageClass } from '../generated/types/storage-v1.ts';
import { PROVISIONER, simulateVolumes } from './simulate-volumes.ts';

describe('simulateVolumes', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const start = (): Promise<void> => fixture.start(simulateVolumes(fixture.context));
  const createClass = (more: Partial<StorageClass> = {}): Promise<StorageClass> =>
    fixture.client.create(storageClasses, { metadata: { name: 'simulated' }, provisioner: PROVISIONER, ...more });
  const createClaim = (annotations: Record<string, string>): Promise<PersistentVolumeClaim> =>
    fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'default', name: 'data', annotations },
      spec: {
        storageClassName: 'simulated',
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '3Gi' } },
      },
      status: {},
    });
  const asked = { 'volume.kubernetes.io/storage-provisioner': PROVISIONER };
  const volumes = async (): Promise<readonly (string | undefined)[]> =>
    (await fixture.client.list(persistentVolumes)).items.map(({ metadata }) => metadata.name);

  it('gives a cluster without storage classes a default one', async () => {
    await start();
    const [made, ...more] = (await fixture.client.list(storageClasses)).items;
    assert.deepEqual(
      [made?.metadata.name, made?.provisioner, made?.metadata.annotations, more.length],
      ['standard', PROVISIONER, { 'storageclass.kubernetes.io/is-default-class': 'true' }, 0],
    );
  });

  it('leaves a cluster with storage classes as it is', async () => {
    await createClass({ provisioner: 'example.com/disks' });
    await start();
    assert.equal((await fixture.client.list(storageClasses)).items.length, 1);
  });

  it('makes a volume for a claim, and deletes it when it is released', async () => {
    await createClass();
    await start();
    const claim = await createClaim(asked);
    await fixture.clock.advance(0);
    const name = `pvc-${claim.metadata.uid}`;
    assert.deepEqual(await volumes(), [name]);
    const volume = await fixture.client.get(persistentVolumes, { name });
    const { capacity, accessModes, claimRef, storageClassName, persistentVolumeReclaimPolicy } = volume.spec;
    assert.deepEqual(
      [capacity, accessModes, claimRef?.name, claimRef?.uid, storageClassName, persistentVolumeReclaimPolicy],
      [{ storage: '3Gi' }, ['ReadWriteMany'], 'data', claim.metadata.uid, 'simulated', 'Delete'],
    );
    await fixture.client.update(
      persistentVolumes,
      { ...volume, status: { phase: 'Released' } },
      { subresource: 'status' },
    );
    await fixture.clock.advance(0);
    assert.deepEqual(await volumes(), []);
  });

  it('waits for the node of a pod where the class does', async () => {
    await createClass({ volumeBindingMode: 'WaitForFirstConsumer', reclaimPolicy: 'Retain' });
    await start();
    const claim = await createClaim(asked);
    await fixture.clock.advance(0);
    assert.deepEqual(await volumes(), []);
    const annotations = { ...asked, 'volume.kubernetes.io/selected-node': 'node-1' };
    await fixture.client.update(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, annotations } });
    await fixture.clock.advance(0);
    const [name] = await volumes();
    const volume = await fixture.client.get(persistentVolumes, { name: name! });
    await fixture.client.update(
      persistentVolumes,
      { ...volume, status: { phase: 'Released' } },
      { subresource: 'status' },
    );
    await fixture.clock.advance(0);
    assert.deepEqual(await volumes(), [name], 'it is retained');
  });

  it('makes no volume for a claim of another provisioner', async () => {
    await createClass();
    await start();
    await createClaim({ 'volume.kubernetes.io/storage-provisioner': 'example.com/disks' });
    await fixture.clock.advance(0);
    assert.deepEqual(await volumes(), []);
  });
});
