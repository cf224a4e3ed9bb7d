import assert from 'node:assert/strict';
import { events, persistentVolumeClaims, persistentVolumes, pods } from '../../../../pkg/api/core/tokens.ts';
import { storageClasses } from '../../../../pkg/api/storage/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { ephemeralVolumeController } from '../../../../pkg/controllers/ephemeral-volume/controller.ts';
import { persistentVolumeBinder } from '../../../../pkg/controllers/persistent-volume-binder/controller.ts';
import { persistentVolumeClaimProtection } from '../../../../pkg/controllers/volume-protection/claim-protection.ts';
import { persistentVolumeProtection } from '../../../../pkg/controllers/volume-protection/volume-protection.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  Pod,
  Volume,
} from '../../../../pkg/generated/types/core-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const CONFIG = {
  workers: { ephemeralVolume: 1 },
  volumes: {
    binderPeriodMs: 500,
    forceDetachOnTimeout: true,
    dynamicProvisioning: true,
    hostPathProvisioner: false,
    recyclers: {
      hostPath: { minimumSeconds: 60, incrementSeconds: 30 },
      nfs: { minimumSeconds: 300, incrementSeconds: 30 },
    },
  },
} as ControllersConfig;
const resources = { requests: { storage: '1Gi' } };

export const volumeSuite: ControllerSuite = {
  name: 'volumes',
  define(host) {
    let namespace: string;
    beforeEach(async () => {
      namespace = await host.namespace();
      for (const { create } of [
        persistentVolumeBinder,
        persistentVolumeProtection,
        persistentVolumeClaimProtection,
        ephemeralVolumeController,
      ])
        await host.start((context) => create(context, CONFIG)!);
    });

    /** A volume of a class that no other test has. */
    const volume = (name: string, persistentVolumeReclaimPolicy: string): Promise<PersistentVolume> =>
      host.client.create(persistentVolumes, {
        metadata: { name: `${namespace}-${name}` },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/tmp/none' },
          persistentVolumeReclaimPolicy,
          storageClassName: namespace,
        },
        status: {},
      });
    const claim = (name: string, spec: Partial<PersistentVolumeClaimSpec> = {}): Promise<PersistentVolumeClaim> =>
      host.client.create(persistentVolumeClaims, {
        metadata: { namespace, name },
        spec: { accessModes: ['ReadWriteOnce'], resources, storageClassName: namespace, ...spec },
        status: {},
      });
    const claimNow = (name: string): Promise<PersistentVolumeClaim> =>
      host.client.get(persistentVolumeClaims, { namespace, name });
    const volumeNow = (name: string): Promise<PersistentVolume> =>
      host.client.get(persistentVolumes, { name: `${namespace}-${name}` });
    const isBound = (name: string): Promise<void> =>
      until(async () => (await claimNow(name)).status.phase === 'Bound', `a volume for ${name}`);
    const isVolume = (name: string, phase: string): Promise<void> =>
      until(async () => (await volumeNow(name)).status.phase === phase, `${phase} of ${name}`);
    const isThere = (read: () => Promise<unknown>): Promise<void> =>
      until(async () => (await unlessNotFound(read())) !== undefined, 'the object');
    const isGone = (read: () => Promise<unknown>, what: string): Promise<void> =>
      until(async () => (await unlessNotFound(read())) === undefined, `the end of ${what}`);
    const pod = (name: string, volumes: Volume[], spec: Partial<Pod['spec']> = {}): Promise<Pod> =>
      host.client.create(pods, {
        metadata: { namespace, name },
        spec: {
          containers: [{ name: 'main', image: 'app:1', resources: {} }],
          automountServiceAccountToken: false,
          volumes,
          ...spec,
        },
        status: {},
      });

    it('binds claims and volumes, and releases the volumes of deleted claims', async () => {
      await volume('kept', 'Retain');
      await isVolume('kept', 'Available');
      await claim('data');
      await isBound('data');
      const { metadata, spec, status } = await claimNow('data');
      assert.deepEqual(
        [spec.volumeName, status.capacity, status.accessModes],
        [`${namespace}-kept`, { storage: '1Gi' }, ['ReadWriteOnce']],
      );
      assert.deepEqual(Object.keys(metadata.annotations ?? {}).sort(), [
        'pv.kubernetes.io/bind-completed',
        'pv.kubernetes.io/bound-by-controller',
      ]);
      await isVolume('kept', 'Bound');
      await host.client.delete(persistentVolumeClaims, { namespace, name: 'data' });
      await isVolume('kept', 'Released');
      const { status: released } = await volumeNow('kept');
      assert.ok(released.lastPhaseTransitionTime);
    });

    it('keeps claims that pods use, and volumes that claims have', async () => {
      await volume('used', 'Retain');
      await claim('data');
      await isBound('data');
      await pod('user', [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }], { nodeName: 'none' });
      await host.client.delete(persistentVolumeClaims, { namespace, name: 'data' });
      await host.client.delete(persistentVolumes, { name: `${namespace}-used` });
      const { metadata } = await claimNow('data');
      assert.deepEqual(metadata.finalizers, ['kubernetes.io/pvc-protection']);
      assert.ok((await volumeNow('used')).metadata.deletionTimestamp);
      await host.client.delete(pods, { namespace, name: 'user' }, { gracePeriodSeconds: 0 });
      await isGone(() => claimNow('data'), 'the claim');
      await isGone(() => volumeNow('used'), 'the volume');
    });

    it('recycles volumes by a pod that the server admits', async () => {
      await volume('again', 'Recycle');
      await claim('data');
      await isBound('data');
      await host.client.delete(persistentVolumeClaims, { namespace, name: 'data' });
      const recycler = { namespace: 'default', name: `recycler-for-${namespace}-again` };
      await isThere(() => host.client.get(pods, recycler));
      await host.client.patch(pods, recycler, 'merge', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
      await isVolume('again', 'Available');
      assert.equal((await volumeNow('again')).spec.claimRef, undefined);
      await isGone(() => host.client.get(pods, recycler), 'the pod');
    });

    it('leaves provisioning to others, and gives claims the default class', async () => {
      const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
      await claim('data', { storageClassName: undefined });
      await host.client.create(storageClasses, {
        metadata: { name: namespace, annotations },
        provisioner: 'example.org/disks',
      });
      const provisioner = 'volume.kubernetes.io/storage-provisioner';
      await until(
        async () => (await claimNow('data')).metadata.annotations?.[provisioner] === 'example.org/disks',
        'the name of the provisioner',
      );
      assert.equal((await claimNow('data')).spec.storageClassName, namespace);
      const reasons = async (): Promise<readonly (string | undefined)[]> =>
        (await host.client.list(events, { namespace })).items.map(({ reason }) => reason);
      await until(async () => (await reasons()).includes('ExternalProvisioning'), 'the event');
      await host.client.delete(storageClasses, { name: namespace });
    });

    it('makes the claims of ephemeral volumes', async () => {
      const volumeClaimTemplate = {
        metadata: { labels: { a: 'b' } },
        spec: { accessModes: ['ReadWriteOnce'], resources, storageClassName: namespace },
      };
      const { metadata } = await pod('user', [{ name: 'scratch', ephemeral: { volumeClaimTemplate } }]);
      await isThere(() => claimNow('user-scratch'));
      const made = (await claimNow('user-scratch')).metadata;
      assert.deepEqual(
        [made.labels, made.ownerReferences],
        [
          { a: 'b' },
          [
            {
              apiVersion: 'v1',
              kind: 'Pod',
              name: 'user',
              uid: metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        ],
      );
    });
  },
};
