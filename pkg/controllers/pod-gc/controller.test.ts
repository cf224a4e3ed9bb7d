import assert from 'node:assert/strict';
import { nodes, pods } from '../../api/core/tokens.ts';
import type { NodeStatus, Pod } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { podGcController } from './controller.ts';

const CONFIG = { podGc: { terminatedPodsMax: 2 } } as ControllersConfig;

describe('the pod garbage collector', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const start = (): Promise<void> => fixture.start(podGcController.create(fixture.context, CONFIG)!);
  const create = (name: string, status: object, nodeName?: string): Promise<Pod> =>
    fixture.client.create(pods, {
      metadata: { name, namespace: 'ns' },
      spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
      status,
    });
  const names = async (): Promise<(string | undefined)[]> =>
    (await fixture.client.list(pods, {})).items.map(({ metadata }) => metadata.name).sort();

  it('deletes the evicted and the oldest of too many ended pods', async () => {
    await create('a', { phase: 'Failed' });
    await create('b', { phase: 'Succeeded' });
    await create('c', { phase: 'Failed', reason: 'Evicted' });
    await create('d', { phase: 'Failed' });
    await create('live', { phase: 'Pending' });
    await start();
    await fixture.clock.advance(20_000);
    assert.deepEqual(await names(), ['b', 'd', 'live']);
  });

  it('fails and deletes pods of a node that is gone, after a quarantine', async () => {
    await fixture.client.create(nodes, { metadata: { name: 'there' }, spec: {}, status: {} as NodeStatus });
    await create('stays', { phase: 'Running' }, 'there');
    await create('lost', { phase: 'Running' }, 'gone');
    await start();
    await fixture.clock.advance(20_000);
    assert.deepEqual(await names(), ['lost', 'stays']);
    await fixture.clock.advance(40_000);
    assert.deepEqual(await names(), ['stays']);
    const [patch] = fixture.requests.filter(({ verb }) => verb === 'patch');
    const { phase, conditions } = (patch!.body as Pod).status;
    assert.deepEqual([phase, conditions?.[0]?.reason], ['Failed', 'DeletionByPodGC']);
  });

  it('leaves the time of a disruption that the pod had before', async () => {
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', lastTransitionTime };
    await create('lost', { phase: 'Running', conditions: [target] }, 'gone');
    await start();
    await fixture.clock.advance(60_000);
    const [patch] = fixture.requests.filter(({ verb }) => verb === 'patch');
    const [condition] = (patch!.body as Pod).status.conditions!;
    assert.deepEqual([condition?.reason, condition?.lastTransitionTime], ['DeletionByPodGC', lastTransitionTime]);
  });

  it('deletes pods of nodes that are out of service, and deleted ones that never had a node', async () => {
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await fixture.client.create(nodes, { metadata: { name: 'off' }, spec: { taints }, status: {} as NodeStatus });
    await create('on-it', { phase: 'Running' }, 'off');
    await create('kept', { phase: 'Running' }, 'off');
    await fixture.client.delete(pods, { namespace: 'ns', name: 'on-it' }, { gracePeriodSeconds: 600 });
    await start();
    await fixture.clock.advance(20_000);
    assert.deepEqual(await names(), ['kept']);
  });
});
