import assert from 'node:assert/strict';
import { events, nodes, persistentVolumeClaims, persistentVolumes, pods } from '../../../../pkg/api/core/tokens.ts';
import { volumeAttachments } from '../../../../pkg/api/storage/tokens.ts';
import { attachDetachController } from '../../../../pkg/controllers/attach-detach/controller.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import type { VolumeAttachment } from '../../../../pkg/generated/types/storage-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';
import { setClaimStatus } from '../suite-objects.ts';

const DRIVER = 'csi.example.org';
const NODES = ['first', 'second'];

export const attachmentSuite: ControllerSuite = {
  name: 'attached volumes',
  define(host) {
    let namespace: string;
    beforeEach(async () => {
      namespace = await host.namespace();
      for (const name of NODES) {
        const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
        await host.client.create(nodes, { metadata: { name, annotations }, spec: {}, status: {} } as never);
        await setNode(name, { conditions: [{ type: 'Ready', status: 'True' }] });
      }
      const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
      const size = { storage: '1Gi' };
      const claim = await host.client.create(persistentVolumeClaims, {
        metadata: { namespace, name: 'data' },
        spec: { ...common, resources: { requests: size }, volumeName: namespace },
        status: {},
      });
      await host.client.create(persistentVolumes, {
        metadata: { name: namespace },
        spec: {
          ...common,
          capacity: size,
          csi: { driver: DRIVER, volumeHandle: namespace },
          claimRef: { namespace, name: 'data', uid: claim.metadata.uid },
        },
        status: {},
      });
      await setClaimStatus(host, { namespace, name: 'data' }, { phase: 'Bound' });
      const config = { volumes: { forceDetachOnTimeout: true } } as ControllersConfig;
      await host.start((context) => attachDetachController.create(context, config)!);
    });
    afterEach(async () => {
      await host.client.deleteCollection(pods, { namespace }, { gracePeriodSeconds: 0 });
      for (const name of NODES) await host.client.delete(nodes, { name });
      await until(async () => (await attachments()).length === 0, 'no attachment');
      await host.client.delete(persistentVolumes, { name: namespace });
    });

    const setNode = (name: string, status: object): Promise<unknown> =>
      host.client.patch(nodes, { name }, 'strategic', { status }, { subresource: 'status' });
    const createPod = (name: string, nodeName: string): Promise<unknown> =>
      host.client.create(pods, {
        metadata: { namespace, name },
        spec: {
          nodeName,
          containers: [{ name: 'main', image: 'app:1', resources: {} }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
        status: {},
      });
    const attachments = async (): Promise<readonly VolumeAttachment[]> =>
      (await host.client.list(volumeAttachments)).items;
    const isOn = (node: string): Promise<void> =>
      until(async () => {
        const all = await attachments();
        return all.length === 1 && all[0]!.spec.nodeName === node;
      }, `the volume on ${node}`);
    /** As the attacher of the driver does. */
    const attach = async (): Promise<void> => {
      const name = { name: (await attachments())[0]!.metadata.name! };
      const status = { attached: true };
      await host.client.patch(volumeAttachments, name, 'merge', { status }, { subresource: 'status' });
    };
    const listed = async (node: string): Promise<readonly string[]> =>
      ((await host.client.get(nodes, { name: node })).status.volumesAttached ?? []).map(({ name }) => name);
    const isEvent = (wanted: string): Promise<void> =>
      until(
        async () => (await host.client.list(events, { namespace })).items.some(({ reason }) => reason === wanted),
        wanted,
      );

    it('are named by the status of the node once their driver has attached them, until no pod needs them', async () => {
      await createPod('user', 'first');
      await isOn('first');
      const [{ spec }] = (await attachments()) as [VolumeAttachment];
      assert.deepEqual(spec, { attacher: DRIVER, nodeName: 'first', source: { persistentVolumeName: namespace } });
      assert.deepEqual(await listed('first'), []);
      await attach();
      const name = `kubernetes.io/csi/${DRIVER}^${namespace}`;
      await until(async () => (await listed('first'))[0] === name, 'the volume in the status');
      await isEvent('SuccessfulAttachVolume');
      await host.client.delete(pods, { namespace, name: 'user' }, { gracePeriodSeconds: 0 });
      await until(async () => (await attachments()).length === 0, 'no attachment');
      await until(async () => (await listed('first')).length === 0, 'no volume in the status');
    });

    it('go to another node when the first one does not use them any more', async () => {
      await createPod('one', 'first');
      await isOn('first');
      await attach();
      await setNode('first', { volumesInUse: [`kubernetes.io/csi/${DRIVER}^${namespace}`] });
      await createPod('two', 'second');
      await isEvent('FailedAttachVolume');
      await host.client.delete(pods, { namespace, name: 'one' }, { gracePeriodSeconds: 0 });
      await isOn('first');
      await setNode('first', { volumesInUse: [] });
      await isOn('second');
    });
  },
};
