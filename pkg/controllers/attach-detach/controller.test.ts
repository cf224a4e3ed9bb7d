import assert from 'node:assert/strict';
import { events, nodes, persistentVolumeClaims, persistentVolumes, pods } from '../../api/core/tokens.ts';
import { csiDrivers, volumeAttachments } from '../../api/storage/tokens.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import type { VolumeAttachment } from '../../generated/types/storage-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { attachDetachController } from './controller.ts';
import { attachmentName } from './reconcile-node.ts';

const CONFIG = { volumes: { forceDetachOnTimeout: true } } as ControllersConfig;
const DRIVER = 'csi.example.org';
const ATTACHED = `kubernetes.io/csi/${DRIVER}^handle`;

describe('the attach and detach controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    for (const name of ['a', 'b'])
      await fixture.client.create(nodes, {
        metadata: { name, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
        spec: {},
        status: { conditions: [{ type: 'Ready', status: 'True' }] } as unknown as Node['status'],
      });
    await fixture.client.create(persistentVolumeClaims, {
      metadata: { namespace: 'ns', name: 'data' },
      spec: { resources: {}, volumeName: 'v' },
      status: { phase: 'Bound' },
    });
    const { metadata } = await fixture.client.get(persistentVolumeClaims, { namespace: 'ns', name: 'data' });
    await fixture.client.create(persistentVolumes, {
      metadata: { name: 'v' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        csi: { driver: DRIVER, volumeHandle: 'handle' },
        claimRef: { namespace: 'ns', name: 'data', uid: metadata.uid },
      },
      status: { phase: 'Bound' },
    });
  });
  afterEach(() => fixture.stop());

  const start = (): Promise<void> => fixture.start(attachDetachController.create(fixture.context, CONFIG)!);
  const seconds = (count: number): Promise<void> => fixture.clock.advance(count * 1000);
  const pod = (name: string, nodeName: string): Promise<unknown> =>
    fixture.client.create(pods, {
      metadata: { namespace: 'ns', name },
      spec: { containers: [], nodeName, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
      status: {},
    });
  const remove = (name: string): Promise<void> =>
    fixture.client.delete(pods, { namespace: 'ns', name }, { gracePeriodSeconds: 0 });
  const attachments = async (): Promise<readonly VolumeAttachment[]> =>
    (await fixture.client.list(volumeAttachments)).items;
  const places = async (): Promise<string> => (await attachments()).map(({ spec }) => spec.nodeName).join(' ');
  /** As the attacher of the driver does. */
  const attach = async (): Promise<void> => {
    const [one] = await attachments();
    const name = { name: one!.metadata.name! };
    await fixture.client.patch(
      volumeAttachments,
      name,
      'merge',
      { status: { attached: true } },
      { subresource: 'status' },
    );
    await seconds(1);
  };
  const status = (name: string, patch: object): Promise<unknown> =>
    fixture.client.patch(nodes, { name }, 'merge', { status: patch }, { subresource: 'status' });
  const said = async (): Promise<string[]> => {
    await fixture.context.recorder('attachdetach-controller').flush();
    return (await fixture.client.list(events)).items.map(({ reason, message }) => `${reason}: ${message}`);
  };

  it('attaches the volumes of pods, and says so on the node', async () => {
    await start();
    await pod('user', 'a');
    await seconds(1);
    const [attachment] = await attachments();
    assert.equal(attachment!.metadata.name, attachmentName(DRIVER, 'handle', 'a'));
    assert.deepEqual(attachment!.spec, { attacher: DRIVER, nodeName: 'a', source: { persistentVolumeName: 'v' } });
    await attach();
    const node = await fixture.client.get(nodes, { name: 'a' });
    assert.deepEqual(node.status.volumesAttached, [{ name: ATTACHED, devicePath: '' }]);
    assert.deepEqual(await said(), ['SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "v" ']);
    await remove('user');
    await seconds(1);
    assert.equal(await places(), '');
    assert.deepEqual((await fixture.client.get(nodes, { name: 'a' })).status.volumesAttached, []);
  });

  it('does not attach where the driver or the node does without', async () => {
    await fixture.client.create(csiDrivers, { metadata: { name: DRIVER }, spec: { attachRequired: false } });
    await start();
    await pod('user', 'a');
    await seconds(1);
    assert.equal(await places(), '');
  });

  it('moves a volume to another node when the first one has given it up', async () => {
    await start();
    await pod('first', 'a');
    await seconds(1);
    await attach();
    await status('a', { volumesInUse: [ATTACHED] });
    await pod('second', 'b');
    await seconds(1);
    assert.equal(await places(), 'a');
    const conflict = 'FailedAttachVolume: Multi-Attach error for volume "v" Volume is already used by pod(s) first';
    await seconds(30);
    assert.deepEqual(
      (await said()).filter((text) => text.startsWith('Failed')),
      [conflict],
    );
    assert.equal(
      (await fixture.client.list(events)).items.find(({ reason }) => reason?.startsWith('Failed'))?.count,
      1,
    );
    await remove('first');
    await seconds(60);
    assert.equal(await places(), 'a');
    await status('a', { volumesInUse: [] });
    await seconds(10);
    assert.equal(await places(), 'b');
  });

  it('takes a volume from a node that is ill after six minutes', async () => {
    await start();
    await pod('user', 'a');
    await seconds(1);
    await attach();
    await status('a', { volumesInUse: [ATTACHED], conditions: [{ type: 'Ready', status: 'Unknown' }] });
    await remove('user');
    await seconds(300);
    assert.equal(await places(), 'a');
    await seconds(70);
    assert.equal(await places(), '');
  });

  it('takes a volume at once from a node that is out of service', async () => {
    await start();
    await pod('user', 'a');
    await seconds(1);
    await attach();
    await status('a', { volumesInUse: [ATTACHED] });
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await fixture.client.patch(nodes, { name: 'a' }, 'merge', { spec: { taints } });
    await remove('user');
    await seconds(1);
    assert.equal(await places(), '');
  });
});
