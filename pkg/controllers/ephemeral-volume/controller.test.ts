import assert from 'node:assert/strict';
import { events, persistentVolumeClaims, persistentVolumes, pods } from '../../api/core/tokens.ts';
import type { PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { persistentVolumeExpander } from '../volume-expander/controller.ts';
import { ephemeralVolumeController } from './controller.ts';

const CONFIG = { workers: { ephemeralVolume: 5 } } as ControllersConfig;

describe('the ephemeral volume controller and the expander', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.start(ephemeralVolumeController.create(fixture.context, CONFIG)!);
    await fixture.start(persistentVolumeExpander.create(fixture.context, CONFIG)!);
  });
  afterEach(() => fixture.stop());

  const pod = (name: string): Promise<Pod> =>
    fixture.client.create(pods, {
      metadata: { namespace: 'ns', name },
      spec: {
        containers: [],
        volumes: [
          {
            name: 'scratch',
            ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: { resources: {} } } },
          },
        ],
      },
      status: {},
    });
  const claimNow = (name: string): Promise<PersistentVolumeClaim> =>
    fixture.client.get(persistentVolumeClaims, { namespace: 'ns', name });
  const said = async (component: string): Promise<string[]> => {
    await fixture.context.recorder(component).flush();
    return (await fixture.client.list(events)).items.map(({ reason, message }) => `${reason}: ${message}`);
  };

  it('makes the claims of pods, also again', async () => {
    const { metadata } = await pod('user');
    await fixture.clock.advance(1000);
    const claim = await claimNow('user-scratch');
    assert.deepEqual(claim.metadata.labels, { a: 'b' });
    assert.deepEqual(claim.metadata.ownerReferences, [
      { apiVersion: 'v1', kind: 'Pod', name: 'user', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
    ]);
    await fixture.client.delete(persistentVolumeClaims, { namespace: 'ns', name: 'user-scratch' });
    await fixture.clock.advance(1000);
    assert.notEqual((await claimNow('user-scratch')).metadata.uid, claim.metadata.uid);
  });

  it('takes no claim that is another one', async () => {
    await fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'ns', name: 'user-scratch' },
      spec: { resources: {} },
      status: {},
    });
    await pod('user');
    await fixture.clock.advance(10);
    assert.match(
      (await said('ephemeral_volume'))[0]!,
      /^FailedBinding: ephemeral volume scratch: PVC ns\/user-scratch was not created for pod ns\/user \(pod is not owner\)$/,
    );
  });

  it('says who expands a claim', async () => {
    const claim = await fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'ns', name: 'a' },
      spec: { resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    });
    const claimRef = { namespace: 'ns', name: 'a', uid: claim.metadata.uid };
    await fixture.client.create(persistentVolumes, { metadata: { name: 'v' }, spec: { claimRef }, status: {} });
    await fixture.clock.advance(1000);
    assert.deepEqual(await said('volume_expand'), []);
    const patch = { spec: { resources: { requests: { storage: '2Gi' } } } };
    await fixture.client.patch(persistentVolumeClaims, { namespace: 'ns', name: 'a' }, 'merge', patch);
    await fixture.clock.advance(1000);
    assert.deepEqual(await said('volume_expand'), [
      'ExternalExpanding: waiting for an external controller to expand this PVC',
    ]);
  });
});
