import assert from 'node:assert/strict';
import { persistentVolumeClaims, persistentVolumes } from '../../../../pkg/api/core/tokens.ts';
import { volumeAttributesClasses } from '../../../../pkg/api/storage/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { volumeAttributesClassProtection } from '../../../../pkg/controllers/volume-protection/attributes-class-protection.ts';
import { persistentVolumeClaimProtection } from '../../../../pkg/controllers/volume-protection/claim-protection.ts';
import { persistentVolumeProtection } from '../../../../pkg/controllers/volume-protection/volume-protection.ts';
import type { PersistentVolumeClaimStatus } from '../../../../pkg/generated/types/core-v1.ts';
import type { VolumeAttributesClass } from '../../../../pkg/generated/types/storage-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { setClaimStatus } from '../suite-objects.ts';

const FINALIZER = 'kubernetes.io/vac-protection';
const storage = '1Gi';

export const volumeAttributesClassSuite: ControllerSuite = {
  name: 'volume attributes classes',
  define(host) {
    let namespace: string;
    let name: string;
    let other: string;
    beforeEach(async () => {
      namespace = await host.namespace();
      [name, other] = [`${namespace}-gold`, `${namespace}-silver`];
      // The other two let claims and volumes go that nothing uses.
      for (const { create } of [
        volumeAttributesClassProtection,
        persistentVolumeClaimProtection,
        persistentVolumeProtection,
      ])
        await host.start((context) => create(context, {} as ControllersConfig)!);
      for (const one of [name, other]) {
        await host.client.create(volumeAttributesClasses, {
          metadata: { name: one },
          driverName: 'csi.example.org',
          parameters: { iops: '100' },
        });
        await until(async () => (await found(one))?.metadata.finalizers?.[0] === FINALIZER, `the finalizer of ${one}`);
      }
    });
    afterEach(() => unlessNotFound(host.client.delete(volumeAttributesClasses, { name: other })));

    const found = (one: string): Promise<VolumeAttributesClass | undefined> =>
      unlessNotFound(host.client.get(volumeAttributesClasses, { name: one }));
    const addClaim = (volumeAttributesClassName: string): Promise<unknown> =>
      host.client.create(persistentVolumeClaims, {
        metadata: { namespace, name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, volumeAttributesClassName },
        status: {},
      });
    const setStatus = (status: PersistentVolumeClaimStatus): Promise<unknown> =>
      setClaimStatus(host, { namespace, name: 'data' }, status);
    const deleteClaim = (): Promise<void> => host.client.delete(persistentVolumeClaims, { namespace, name: 'data' });
    /** Deletes the class; it stays. The other one, which nothing has, goes: the controller has looked. */
    const staysDeleted = async (): Promise<void> => {
      await host.client.delete(volumeAttributesClasses, { name });
      await host.client.delete(volumeAttributesClasses, { name: other });
      await until(async () => (await found(other)) === undefined, 'the end of a class that nothing has');
      const { metadata } = (await found(name))!;
      assert.notEqual(metadata.deletionTimestamp, undefined);
      assert.deepEqual(metadata.finalizers, [FINALIZER]);
    };
    const goes = (): Promise<void> => until(async () => (await found(name)) === undefined, 'the end of the class');

    it('stay while a claim asks for them', async () => {
      await addClaim(name);
      await staysDeleted();
      await deleteClaim();
      await goes();
    });

    it('stay while a claim has them, or changes to them', async () => {
      await addClaim(other);
      await setStatus({ currentVolumeAttributesClassName: name });
      await host.client.patch(persistentVolumeClaims, { namespace, name: 'data' }, 'merge', {
        metadata: { labels: { seen: 'yes' } },
      });
      await host.client.delete(volumeAttributesClasses, { name });
      const modifyVolumeStatus = { status: 'InProgress', targetVolumeAttributesClassName: name };
      await setStatus({ currentVolumeAttributesClassName: other, modifyVolumeStatus });
      assert.deepEqual((await found(name))?.metadata.finalizers, [FINALIZER]);
      await setStatus({ modifyVolumeStatus: null } as unknown as PersistentVolumeClaimStatus);
      await goes();
      assert.notEqual(await found(other), undefined);
      await deleteClaim();
    });

    it('stay while a volume has them', async () => {
      await host.client.create(persistentVolumes, {
        metadata: { name: namespace },
        spec: {
          capacity: { storage },
          accessModes: ['ReadWriteOnce'],
          csi: { driver: 'csi.example.org', volumeHandle: namespace },
          persistentVolumeReclaimPolicy: 'Retain',
          volumeAttributesClassName: name,
        },
        status: {},
      });
      await staysDeleted();
      await host.client.delete(persistentVolumes, { name: namespace });
      await goes();
    });
  },
};
