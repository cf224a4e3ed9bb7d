import assert from 'node:assert/strict';
import { events, pods } from '../../api/core/tokens.ts';
import { resourceClaims, resourceSlices } from '../../api/resource/tokens.ts';
import { internalError } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { DeviceTaint, DeviceToleration, ResourceClaim, ResourceSlice } from '../../generated/types/resource-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { deviceTaintEvictionController } from './controller.ts';

const namespace = 'ns';
const at = (fixture: ControllersFixture, seconds: number): string =>
  new Date(fixture.clock.wallMs() + seconds * 1000).toISOString();

describe('the device taint eviction controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.start(deviceTaintEvictionController.create(fixture.context, {} as ControllersConfig)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  const slice = (taints: DeviceTaint[], generation = 1, name = 's'): Promise<unknown> =>
    fixture.client.create(resourceSlices, {
      metadata: { name },
      spec: {
        driver: 'd.example.com',
        pool: { name: 'p', generation, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'gpu-0', taints }, { name: 'gpu-1' }],
      },
    } as ResourceSlice);
  const taint = (taints: DeviceTaint[]): Promise<unknown> =>
    fixture.client.patch(resourceSlices, { name: 's' }, 'merge', {
      spec: { devices: [{ name: 'gpu-0', taints }, { name: 'gpu-1' }] },
    });
  const evil = (more: Partial<DeviceTaint> = {}): DeviceTaint => ({
    key: 'evil',
    effect: 'NoExecute',
    timeAdded: at(fixture, 0),
    ...more,
  });
  const use = async (
    name: string,
    {
      device = 'gpu-0',
      tolerations = [],
      nodeName = 'n',
      isReserved = true,
      phase = 'Running',
    }: {
      device?: string;
      tolerations?: DeviceToleration[];
      nodeName?: string;
      isReserved?: boolean;
      phase?: string;
    } = {},
  ): Promise<void> => {
    const pod = await fixture.client.create(pods, {
      metadata: { namespace, name, finalizers: ['example.com/seen'] },
      spec: { containers: [], resourceClaims: [{ name: 'c', resourceClaimName: name }], nodeName },
      status: { phase },
    } as unknown as Pod);
    const result = { request: 'r', driver: 'd.example.com', pool: 'p', device, tolerations };
    await fixture.client.create(resourceClaims, {
      metadata: { namespace, name },
      spec: { devices: {} },
      status: {
        allocation: { devices: { results: [result] } },
        ...(isReserved ? { reservedFor: [{ resource: 'pods', name, uid: pod.metadata.uid! }] } : {}),
      },
    } as unknown as ResourceClaim);
  };
  const wait = (seconds = 1): Promise<void> => fixture.clock.advance(seconds * 1000);
  const going = (): string =>
    fixture.cluster
      .all(pods)
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata.name)
      .sort()
      .join(' ');
  const said = (): string[] =>
    fixture.cluster
      .all(events)
      .map(({ involvedObject, reason, message, source }) =>
        [involvedObject.name, source?.component, reason, message].join(': '),
      );

  it('deletes the pods of a tainted device, and says why', async () => {
    await use('a');
    await use('other', { device: 'gpu-1' });
    await use('stray', { isReserved: false });
    await use('unplaced', { nodeName: '' });
    await use('done', { phase: 'Succeeded' });
    await slice([]);
    await wait();
    assert.equal(going(), '');
    await taint([evil()]);
    await wait();
    assert.equal(going(), 'a');
    const [condition] = fixture.cluster.find(pods, { namespace, name: 'a' })!.status.conditions!;
    assert.deepEqual(
      [condition!.type, condition!.status, condition!.reason, condition!.message],
      [
        'DisruptionTarget',
        'True',
        'DeletionByDeviceTaintManager',
        'Device Taint manager: deleting due to NoExecute taint',
      ],
    );
    assert.deepEqual(said(), ['a: device-taint-eviction: DeviceTaintManagerEviction: Marking for deletion']);
    assert.equal(fixture.metrics.get('device_taint')['device_taint_eviction_controller_pod_deletions_total'], 1);
  });

  it('waits for as long as the shortest toleration says, from when the taint was added', async () => {
    const tolerate = (tolerationSeconds?: number): DeviceToleration => ({
      key: 'evil',
      operator: 'Exists',
      ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
    });
    await use('ten', { tolerations: [tolerate(60), tolerate(10)] });
    await use('ever', { tolerations: [tolerate(), tolerate(10)] });
    await use('no', { tolerations: [{ key: 'other', operator: 'Exists' }] });
    await use('past', { tolerations: [tolerate(1)] });
    await slice([evil({ timeAdded: at(fixture, -2) })]);
    await wait();
    assert.equal(going(), 'no past');
    await wait(6);
    assert.equal(going(), 'no past');
    await wait(2);
    assert.equal(going(), 'no past ten');
    await wait(1000);
    assert.equal(going(), 'no past ten');
  });

  it('cancels what it planned when the taint goes, or a pool of a newer generation lacks it', async () => {
    await use('a', { tolerations: [{ operator: 'Exists', tolerationSeconds: 60 }] });
    await slice([evil()]);
    await wait();
    await taint([evil({ effect: 'NoSchedule' })]);
    await wait(120);
    assert.deepEqual(said(), ['a: device-taint-eviction: DeviceTaintManagerEviction: Cancelling deletion']);
    await taint([evil()]);
    await slice([], 2, 'newer');
    await wait(120);
    assert.equal(going(), '');
  });

  it('evicts a pod that comes to a tainted device, and goes on after failures', async () => {
    await slice([evil({ effect: 'None' }), evil({ key: 'second' })]);
    fixture.client.failNext('delete', internalError('away'));
    await use('late');
    await wait(5);
    assert.equal(going(), 'late');
    assert.ok(!said().some((text) => text.includes('Cancelling')));
    assert.equal(fixture.errors.splice(0).length, 1);
  });
});
