import assert from 'node:assert/strict';
import { persistentVolumeClaims, persistentVolumes, pods } from '../../api/core/tokens.ts';
import { volumeAttributesClasses } from '../../api/storage/tokens.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { volumeAttributesClassProtection } from './attributes-class-protection.ts';
import { persistentVolumeClaimProtection } from './claim-protection.ts';
import { persistentVolumeProtection } from './volume-protection.ts';

describe('the protection of volumes and claims', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    for (const descriptor of [
      persistentVolumeClaimProtection,
      persistentVolumeProtection,
      volumeAttributesClassProtection,
    ])
      await fixture.start(descriptor.create(fixture.context, {} as ControllersConfig)!);
  });
  afterEach(() => fixture.stop());

  const pass = (): Promise<void> => fixture.clock.advance(1000);
  const claim = (name: string): Promise<unknown> =>
    fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'ns', name },
      spec: { resources: {} },
      status: {},
    });
  const pod = (name: string, nodeName: string | undefined): Promise<unknown> =>
    fixture.client.create(pods, {
      metadata: { namespace: 'ns', name },
      spec: { containers: [], nodeName, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'a' } }] },
      status: {},
    });
  const claimNames = async (): Promise<string> =>
    (await fixture.client.list(persistentVolumeClaims)).items.map(({ metadata }) => metadata.name).join(' ');
  const remove = (name: string): Promise<void> =>
    fixture.client.delete(persistentVolumeClaims, { namespace: 'ns', name });

  it('keeps claims until no pod on a node uses them', async () => {
    await claim('a');
    await claim('b');
    await pass();
    const { metadata } = await fixture.client.get(persistentVolumeClaims, { namespace: 'ns', name: 'a' });
    assert.deepEqual(metadata.finalizers, ['kubernetes.io/pvc-protection']);
    await pod('user', 'node');
    await pod('waiting', undefined);
    await pass();
    await remove('a');
    await remove('b');
    await pass();
    assert.equal(await claimNames(), 'a');
    await fixture.client.delete(pods, { namespace: 'ns', name: 'user' }, { gracePeriodSeconds: 0 });
    await pass();
    assert.equal(await claimNames(), '');
  });

  it('asks the server before a claim goes', async () => {
    await claim('a');
    await pass();
    // Scheduled at the same moment: no informer shows it yet.
    await Promise.all([remove('a'), pod('user', 'node')]);
    await pass();
    assert.ok(fixture.requests.every(({ verb }) => verb !== 'watch'));
    assert.equal(await claimNames(), 'a');
  });

  it('keeps volumes while they are bound', async () => {
    await fixture.client.create(persistentVolumes, { metadata: { name: 'v' }, spec: {}, status: { phase: 'Bound' } });
    await pass();
    await fixture.client.delete(persistentVolumes, { name: 'v' });
    await pass();
    const bound = await fixture.client.get(persistentVolumes, { name: 'v' });
    assert.deepEqual(bound.metadata.finalizers, ['kubernetes.io/pv-protection']);
    await fixture.client.update(
      persistentVolumes,
      { ...bound, status: { phase: 'Released' } },
      { subresource: 'status' },
    );
    await pass();
    assert.equal((await fixture.client.list(persistentVolumes)).items.length, 0);
  });

  it('keeps classes of attributes while claims have them', async () => {
    await fixture.client.create(volumeAttributesClasses, { metadata: { name: 'fast' }, driverName: 'csi.example.org' });
    await fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'ns', name: 'a' },
      spec: { resources: {}, volumeAttributesClassName: 'fast' },
      status: {},
    });
    await pass();
    await fixture.client.delete(volumeAttributesClasses, { name: 'fast' });
    await pass();
    const { metadata } = await fixture.client.get(volumeAttributesClasses, { name: 'fast' });
    assert.deepEqual(metadata.finalizers, ['kubernetes.io/vac-protection']);
    await remove('a');
    await pass();
    assert.equal((await fixture.client.list(volumeAttributesClasses)).items.length, 0);
  });
});
