import assert from 'node:assert/strict';
import { events, persistentVolumeClaims, persistentVolumes } from '../../../../pkg/api/core/tokens.ts';
import { storageClasses } from '../../../../pkg/api/storage/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { persistentVolumeExpander } from '../../../../pkg/controllers/volume-expander/controller.ts';
import { persistentVolumeProtection } from '../../../../pkg/controllers/volume-protection/volume-protection.ts';
import type { Event, PersistentVolumeClaim, PersistentVolumeSpec } from '../../../../pkg/generated/types/core-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { setClaimStatus } from '../suite-objects.ts';

const WAITS = 'waiting for an external controller to expand this PVC';
const csi = { driver: 'csi.example.org', volumeHandle: 'one' };

export const volumeExpansion: ControllerSuite = {
  name: 'volume expansion',
  define(host) {
    let namespace: string;
    beforeEach(async () => {
      namespace = await host.namespace();
      await host.client.create(storageClasses, {
        metadata: { name: namespace },
        provisioner: 'csi.example.org',
        allowVolumeExpansion: true,
      });
      for (const { create } of [persistentVolumeExpander, persistentVolumeProtection])
        await host.start((context) => create(context, {} as ControllersConfig)!);
    });
    afterEach(async () => {
      await host.client.delete(storageClasses, { name: namespace });
      await host.client.delete(persistentVolumes, { name: namespace });
      await until(
        async () => (await unlessNotFound(host.client.get(persistentVolumes, { name: namespace }))) === undefined,
        'the end of the volume',
      );
    });

    /** A claim that has 1Gi of a volume, as the binder leaves both. */
    const bind = async (source: PersistentVolumeSpec, storageClassName = namespace): Promise<PersistentVolumeClaim> => {
      const [accessModes, size] = [['ReadWriteOnce'], { storage: '1Gi' }];
      const claim = await host.client.create(persistentVolumeClaims, {
        metadata: { namespace, name: 'data' },
        spec: { accessModes, resources: { requests: size }, storageClassName, volumeName: namespace },
        status: {},
      });
      await host.client.create(persistentVolumes, {
        metadata: { name: namespace },
        spec: {
          capacity: size,
          accessModes,
          storageClassName,
          persistentVolumeReclaimPolicy: 'Retain',
          claimRef: { namespace, name: 'data', uid: claim.metadata.uid },
          ...source,
        },
        status: {},
      });
      await setStatus({ phase: 'Bound', capacity: size, accessModes });
      return claim;
    };
    const setStatus = (status: PersistentVolumeClaim['status']): Promise<unknown> =>
      setClaimStatus(host, { namespace, name: 'data' }, status);
    const request = (storage: string): Promise<unknown> =>
      host.client.patch(persistentVolumeClaims, { namespace, name: 'data' }, 'merge', {
        spec: { resources: { requests: { storage } } },
      });
    const reported = async (): Promise<readonly Event[]> => (await host.client.list(events, { namespace })).items;
    const isReported = (count: number): Promise<void> =>
      until(async () => (await reported())[0]?.count === count, `${count} reports`);

    it('is left to the driver of the volume, which an event reports, once for each request that grows', async () => {
      const { metadata } = await bind({ csi });
      await request('3Gi');
      await isReported(1);
      const [{ involvedObject, source, type, reason, message }] = (await reported()) as [Event];
      assert.deepEqual([type, reason, message], ['Normal', 'ExternalExpanding', WAITS]);
      assert.deepEqual([involvedObject.kind, involvedObject.uid], ['PersistentVolumeClaim', metadata.uid]);
      assert.equal(source?.component, 'volume_expand');
      // Smaller than before and larger than what there is: the server allows it, and no event is written.
      await request('2Gi');
      await request('4Gi');
      await isReported(2);
      await setStatus({ capacity: { storage: '4Gi' } });
      const { annotations = {} } = (await host.client.get(persistentVolumeClaims, { namespace, name: 'data' }))
        .metadata;
      assert.deepEqual(Object.keys(annotations), []);
      assert.equal((await reported()).length, 1);
    });

    it('of a kind that was part of the manager is left to the driver that took it over', async () => {
      await bind({ gcePersistentDisk: { pdName: 'one' } });
      await request('2Gi');
      await isReported(1);
      const [event] = await reported();
      assert.equal(
        event?.message,
        'CSI migration enabled for kubernetes.io/gce-pd; waiting for external resizer to expand the pvc',
      );
      await until(async () => {
        const { annotations } = (await host.client.get(persistentVolumeClaims, { namespace, name: 'data' })).metadata;
        return annotations?.['volume.kubernetes.io/storage-resizer'] === 'pd.csi.storage.gke.io';
      }, 'the annotation');
    });

    it('is not asked of a class that does not allow it', async () => {
      await bind({ csi }, 'fixed');
      await assert.rejects(request('2Gi'), /only dynamically provisioned pvc can be resized/);
      assert.deepEqual(await reported(), []);
    });
  },
};
