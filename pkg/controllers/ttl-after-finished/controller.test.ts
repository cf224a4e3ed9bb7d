import assert from 'node:assert/strict';
import { jobs } from '../../api/batch/tokens.ts';
import type { Job } from '../../generated/types/batch-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { ttlAfterFinishedController } from './controller.ts';

const name = { namespace: 'ns', name: 'work' };

describe('the controller of finished jobs', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    const config = { workers: { ttlAfterFinished: 1 } } as ControllersConfig;
    await fixture.start(ttlAfterFinishedController.create(fixture.context, config)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  const put = (ttlSecondsAfterFinished: number | undefined, isOver = true): Job => {
    const lastTransitionTime = fixture.cluster.now;
    const ttl = ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished };
    const condition = { type: 'Failed', status: isOver ? 'True' : 'False', lastTransitionTime, lastProbeTime: null };
    return fixture.cluster.put(jobs, {
      metadata: name,
      spec: { template: { metadata: {}, spec: { containers: [] } }, ...ttl },
      status: { conditions: [condition] },
    });
  };
  const isThere = (): boolean => fixture.cluster.find(jobs, name) !== undefined;

  it('deletes a job with what it owns some time after its end', async () => {
    put(10);
    await fixture.clock.advance(9_000);
    assert.equal(isThere(), true);
    await fixture.clock.advance(1_001);
    const [deletion] = fixture.cluster.writes;
    assert.equal(deletion?.verb, 'delete');
    assert.equal(deletion.options.propagationPolicy, 'Foreground');
  });

  it('deletes a job when its time is over by the clock of the host, however that is set', async () => {
    const deletions = (): readonly object[] => fixture.cluster.writes.filter(({ verb }) => verb === 'delete');
    put(1800);
    await fixture.clock.advance(0);
    fixture.clock.setWall(fixture.clock.wallMs() - 3_600_000);
    await fixture.clock.advance(1_801_000);
    assert.deepEqual(deletions(), []);
    fixture.clock.setWall(fixture.clock.wallMs() + 7_200_000);
    await fixture.client.patch(jobs, name, 'merge', { metadata: { labels: { seen: 'yes' } } });
    await fixture.clock.advance(1_000);
    assert.equal(deletions().length, 1);
  });

  it('keeps jobs without a time, and those that have not ended', async () => {
    put(undefined);
    await fixture.clock.advance(10_000);
    put(1, false);
    await fixture.clock.advance(10_000);
    assert.deepEqual(fixture.cluster.writes, []);
  });

  it('follows a time that changes', async () => {
    put(10);
    await fixture.clock.advance(5_000);
    put(10);
    await fixture.clock.advance(6_000);
    assert.deepEqual(fixture.cluster.writes, []);
    await fixture.clock.advance(4_001);
    assert.equal(fixture.cluster.writes.length, 1);
  });
});
