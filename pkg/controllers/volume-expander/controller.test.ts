import assert from 'node:assert/strict';
import { events, persistentVolumeClaims, persistentVolumes } from '../../api/core/tokens.ts';
import type { PersistentVolumeClaim, PersistentVolumeSpec } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { persistentVolumeExpander } from './controller.ts';

const name = { namespace: 'ns', name: 'data' };
const WAITS = 'waiting for an external controller to expand this PVC';

describe('the persistent volume expander', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.start(persistentVolumeExpander.create(fixture.context, {} as ControllersConfig)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  const addVolume = (spec: PersistentVolumeSpec = {}, annotations: Record<string, string> = {}): Promise<unknown> =>
    fixture.client.create(persistentVolumes, {
      metadata: { name: 'v', annotations },
      spec: { csi: { driver: 'csi.example.org', volumeHandle: 'v' }, ...spec },
      status: { phase: 'Bound' },
    });
  const addClaim = (requested: string, capacity: string, phase = 'Bound'): Promise<PersistentVolumeClaim> =>
    fixture.client.create(persistentVolumeClaims, {
      metadata: { ...name, uid: 'claim' },
      spec: { volumeName: 'v', resources: { requests: { storage: requested } } },
      status: { phase, capacity: { storage: capacity } },
    });
  /** As it is after everything was seen: a volume that names the claim, with more than the claim has. */
  const add = async (requested: string, capacity: string, spec: PersistentVolumeSpec = {}): Promise<void> => {
    const { uid } = (await addClaim(requested, capacity)).metadata;
    await addVolume({ claimRef: { ...name, uid }, ...spec });
    await fixture.clock.advance(1000);
  };
  const request = async (storage: string): Promise<void> => {
    await fixture.client.patch(persistentVolumeClaims, name, 'merge', {
      spec: { resources: { requests: { storage } } },
    });
    await fixture.clock.advance(1000);
  };
  const growTo = async (storage: string): Promise<void> => {
    const patch = { status: { capacity: { storage } } };
    await fixture.client.patch(persistentVolumeClaims, name, 'merge', patch, { subresource: 'status' });
    await fixture.clock.advance(1000);
  };
  const reported = async (): Promise<string[]> => {
    await fixture.context.recorder('volume_expand').flush();
    const { items } = await fixture.client.list(events);
    return items.map(
      ({ source, type, reason, message, count }) => `${source?.component} ${type} ${reason} ${count}: ${message}`,
    );
  };
  const times = (count: number, message = WAITS): string[] => [
    `volume_expand Normal ExternalExpanding ${count}: ${message}`,
  ];

  it('reports who expands a claim that asks for more, also where the volume is seen after it', async () => {
    await add('2Gi', '1Gi');
    assert.deepEqual(await reported(), times(1));
  });

  it('reports nothing of a claim that has what it asks for, or is not bound', async () => {
    await add('1Gi', '1Gi');
    await fixture.client.delete(persistentVolumeClaims, name);
    await addClaim('2Gi', '1Gi', 'Pending');
    await fixture.clock.advance(60_000);
    assert.deepEqual(await reported(), []);
  });

  it('reports again when the request grows, or the volume has grown by a part, and not when the request shrinks', async () => {
    await add('1Gi', '1Gi');
    await request('4Gi');
    assert.deepEqual(await reported(), times(1));
    await request('3Gi');
    assert.deepEqual(await reported(), times(1));
    await growTo('2Gi');
    assert.deepEqual(await reported(), times(2));
    await growTo('3Gi');
    assert.deepEqual(await reported(), times(2));
  });

  it('reports of a claim whose file system has yet to grow', async () => {
    const { uid } = (await addClaim('1Gi', '1Gi')).metadata;
    await addVolume({ claimRef: { ...name, uid } }, { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' });
    await fixture.clock.advance(0);
    assert.deepEqual(await reported(), times(1));
  });

  it('names the driver that has taken over a kind of volume', async () => {
    await add('2Gi', '1Gi', { csi: undefined, awsElasticBlockStore: { volumeID: 'vol-1' } } as PersistentVolumeSpec);
    const message = 'CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc';
    assert.deepEqual(await reported(), times(1, message));
    const { metadata } = await fixture.client.get(persistentVolumeClaims, name);
    assert.deepEqual(metadata.annotations, { 'volume.kubernetes.io/storage-resizer': 'ebs.csi.aws.com' });
    const { length } = fixture.requests.filter(({ verb }) => verb === 'patch');
    await request('3Gi');
    const patches = fixture.requests.filter(({ verb, resource }) => verb === 'patch' && resource !== 'events');
    assert.equal(patches.length, length + 1, 'the annotation is written once, and the test asks for more');
  });
});
