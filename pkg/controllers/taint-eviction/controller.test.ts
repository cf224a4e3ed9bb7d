import assert from 'node:assert/strict';
import { events, nodes, pods } from '../../api/core/tokens.ts';
import { internalError } from '../../apimachinery/errors/status-error.ts';
import type { Node, Pod, Taint, Toleration } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { taintEvictionController } from './controller.ts';

const CONFIG = { nodeLifecycle: { taintManager: true } } as ControllersConfig;
const EVIL: Taint = { key: 'evil', effect: 'NoExecute' };
const forSeconds = (tolerationSeconds: number): Toleration[] => [
  { key: 'evil', operator: 'Exists', effect: 'NoExecute', tolerationSeconds },
];

describe('the taint eviction controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.client.create(nodes, { metadata: { name: 'a' }, spec: {}, status: {} as Node['status'] });
    await fixture.start(taintEvictionController.create(fixture.context, CONFIG)!);
  });
  afterEach(() => fixture.stop());

  const taint = (...taints: Taint[]): Promise<unknown> =>
    fixture.client.patch(nodes, { name: 'a' }, 'merge', { spec: { taints } });
  const create = (name: string, tolerations: Toleration[] = [], nodeName = 'a'): Promise<Pod> =>
    fixture.client.create(pods, {
      metadata: { namespace: 'ns', name, finalizers: ['example.com/seen'] },
      spec: { nodeName, containers: [], tolerations },
      status: {},
    });
  /** Names of the pods that are to go. */
  const going = async (): Promise<string> => {
    const { items } = await fixture.client.list(pods);
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata.name)
      .join(' ');
  };
  const said = async (): Promise<string[]> => {
    await fixture.context.recorder('taint-eviction-controller').flush();
    return (await fixture.client.list(events)).items.map(({ message }) => message!);
  };
  const seconds = (count: number): Promise<void> => fixture.clock.advance(count * 1000);

  it('deletes at once, later or never, as pods tolerate the taint', async () => {
    await create('none');
    await create('soon', forSeconds(5));
    await create('always', [{ key: 'evil', operator: 'Exists' }]);
    await create('elsewhere', [], 'b');
    await seconds(0);
    assert.equal(await going(), '');
    await taint(EVIL);
    await seconds(0);
    assert.equal(await going(), 'none');
    await seconds(4);
    assert.equal(await going(), 'none');
    await seconds(1);
    assert.equal(await going(), 'none soon');
    const { conditions = [] } = (await fixture.client.get(pods, { namespace: 'ns', name: 'soon' })).status;
    assert.deepEqual(
      conditions.map(({ type, status, reason }) => [type, status, reason]),
      [['DisruptionTarget', 'True', 'DeletionByTaintManager']],
    );
    await seconds(100);
    assert.equal(await going(), 'none soon');
    assert.deepEqual(await said(), ['Marking for deletion Pod ns/none', 'Marking for deletion Pod ns/soon']);
    assert.equal(fixture.requests.filter(({ verb }) => verb === 'delete').length, 2);
  });

  it('sees pods that come to a tainted node', async () => {
    await taint(EVIL);
    await seconds(0);
    await create('late');
    await create('soon', forSeconds(2));
    await seconds(0);
    assert.equal(await going(), 'late');
    await seconds(2);
    assert.equal(await going(), 'late soon');
  });

  it('lets pods stay whose taint goes, or that tolerate it after all', async () => {
    await create('one', forSeconds(10));
    await create('two', forSeconds(10));
    await taint(EVIL);
    await seconds(5);
    const tolerations = [{ key: 'evil', operator: 'Exists' }];
    await fixture.client.patch(pods, { namespace: 'ns', name: 'two' }, 'merge', { spec: { tolerations } });
    await seconds(1);
    assert.deepEqual(await said(), ['Cancelling deletion of Pod ns/two']);
    await taint();
    await seconds(100);
    assert.equal(await going(), '');
    assert.equal((await said()).length, 2);
    await taint(EVIL);
    await seconds(9);
    assert.equal(await going(), '');
    await seconds(1);
    assert.equal(await going(), 'one');
  });

  it('deletes at once where a taint is added that the pod does not tolerate', async () => {
    await create('one', forSeconds(100));
    await taint(EVIL);
    await seconds(1);
    await taint(EVIL, { ...EVIL, key: 'worse' });
    await seconds(0);
    assert.equal(await going(), 'one');
    assert.deepEqual((await said()).toSorted(), [
      'Cancelling deletion of Pod ns/one',
      'Marking for deletion Pod ns/one',
    ]);
  });

  it('counts the time of a pod from the first taint, and keeps it when its node is deleted', async () => {
    await create('one', forSeconds(10));
    await taint(EVIL);
    await seconds(6);
    await taint({ ...EVIL, value: 'other' });
    await seconds(2);
    await fixture.client.delete(nodes, { name: 'a' });
    await seconds(1);
    assert.equal(await going(), '');
    await seconds(1);
    assert.equal(await going(), 'one');
  });

  it('tries again where a deletion fails', async () => {
    await create('one');
    fixture.client.failNext('delete', internalError('not now'));
    await taint(EVIL);
    await seconds(1);
    assert.equal(await going(), 'one');
    assert.match(fixture.errors.join(), /not now/);
  });

  it('is off where evictions by taints are', () => {
    const off = { nodeLifecycle: { taintManager: false } } as ControllersConfig;
    assert.equal(taintEvictionController.create(fixture.context, off), undefined);
  });
});
