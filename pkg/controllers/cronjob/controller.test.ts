import assert from 'node:assert/strict';
import { cronJobs, jobs } from '../../api/batch/tokens.ts';
import { events } from '../../api/core/tokens.ts';
import type { CronJob, Job } from '../../generated/types/batch-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { cronJobController } from './controller.ts';

const name = { namespace: 'ns', name: 'tick' };
const MINUTE_MS = 60_000;

/** The clock of the fixture begins at 03:04:05. */
describe('the cronjob controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    const config = { workers: { cronJob: 2 } } as ControllersConfig;
    await fixture.start(cronJobController.create(fixture.context, config)!);
  });
  afterEach(async () => {
    await fixture.stop();
    assert.deepEqual(fixture.errors, []);
  });

  const create = async (spec: Partial<CronJob['spec']> = {}): Promise<void> => {
    const template = { metadata: {}, spec: { containers: [] } };
    await fixture.client.create(cronJobs, {
      metadata: name,
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Allow',
        jobTemplate: { metadata: { labels: { of: 'tick' } }, spec: { template } },
        ...spec,
      },
      status: {},
    });
    await wait(0);
  };
  const wait = (ms: number): Promise<void> => fixture.clock.advance(ms);
  const cronJob = (): CronJob => fixture.cluster.find(cronJobs, name)!;
  const allJobs = (): readonly Job[] => fixture.cluster.all(jobs);
  const running = (): readonly Job[] => allJobs().filter(({ status }) => status.conditions === undefined);
  const finish = async (job: Job, type: 'Complete' | 'Failed'): Promise<void> => {
    const now = fixture.cluster.now;
    const condition = { type, status: 'True', lastProbeTime: now, lastTransitionTime: now };
    const time = type === 'Complete' ? { completionTime: now } : {};
    const { creationTimestamp: startTime } = job.metadata;
    fixture.cluster.put(jobs, { ...job, status: { startTime, conditions: [condition], ...time } });
    await wait(0);
  };
  const eventsOf = (reason: string): number =>
    fixture.cluster.all(events).filter((event) => event.reason === reason).length;

  it('creates a job for each time, and says in its status which run', async () => {
    await create({ timeZone: 'Asia/Kolkata' });
    assert.deepEqual(allJobs(), []);
    await wait(MINUTE_MS);
    const [job] = allJobs();
    assert.equal(job!.metadata.name, `tick-${Date.UTC(2026, 0, 2, 3, 5) / MINUTE_MS}`);
    assert.deepEqual(job!.metadata.labels, { of: 'tick' });
    const scheduled = job!.metadata.annotations!['batch.kubernetes.io/cronjob-scheduled-timestamp'];
    assert.equal(scheduled, '2026-01-02T08:35:00+05:30');
    assert.deepEqual(
      cronJob().status.active?.map(({ uid }) => uid),
      [job!.metadata.uid],
    );
    assert.equal(cronJob().status.lastScheduleTime, '2026-01-02T03:05:00Z');
    await finish(job!, 'Complete');
    assert.equal(cronJob().status.active, undefined);
    assert.equal(cronJob().status.lastSuccessfulTime, allJobs()[0]!.status.completionTime);
    await wait(2 * MINUTE_MS);
    assert.equal(allJobs().length, 3);
  });

  it('starts no second job where the first still runs, if it may not', async () => {
    await create({ concurrencyPolicy: 'Forbid' });
    await wait(3 * MINUTE_MS);
    assert.equal(allJobs().length, 1);
    assert.ok(eventsOf('JobAlreadyActive') > 0);
    await finish(running()[0]!, 'Failed');
    assert.equal(running().length, 1);
    assert.equal(cronJob().status.lastScheduleTime, '2026-01-02T03:07:00Z');
  });

  it('replaces the job that still runs', async () => {
    await create({ concurrencyPolicy: 'Replace' });
    await wait(MINUTE_MS);
    const first = allJobs()[0]!.metadata.name;
    await wait(MINUTE_MS);
    assert.equal(allJobs().length, 1);
    const { name: second, annotations } = allJobs()[0]!.metadata;
    assert.notEqual(second, first);
    assert.deepEqual(Object.values(annotations!), ['2026-01-02T03:06:00Z']);
    assert.equal(cronJob().status.active?.length, 1);
  });

  it('notes which jobs it has replaced where a later step fails', async () => {
    await create({ concurrencyPolicy: 'Replace' });
    await wait(MINUTE_MS);
    let failures = 1;
    fixture.client.before = ({ verb, resource }) => {
      if (verb === 'create' && resource === 'jobs' && failures-- > 0) throw new Error('broken');
    };
    await wait(MINUTE_MS + 1000);
    assert.equal(allJobs().length, 1);
    assert.equal(cronJob().status.active?.length, 1);
    assert.equal(eventsOf('MissingJob'), 0);
    fixture.errors.length = 0;
  });

  it('says that it does not know the time zone, also while it is suspended', async () => {
    await create({ suspend: true, timeZone: 'Moon/Crater' });
    assert.equal(eventsOf('UnknownTimeZone'), 1);
  });

  it('runs only the last of the times that it missed, and none behind the deadline', async () => {
    await create({ suspend: true });
    await wait(10 * MINUTE_MS);
    await fixture.client.patch(cronJobs, name, 'merge', { spec: { suspend: false } });
    await wait(0);
    assert.equal(allJobs().length, 1);
    assert.equal(cronJob().status.lastScheduleTime, '2026-01-02T03:14:00Z');
    await fixture.client.patch(cronJobs, name, 'merge', { spec: { suspend: true } });
    await wait(150 * MINUTE_MS);
    await fixture.client.patch(cronJobs, name, 'merge', { spec: { suspend: false, startingDeadlineSeconds: 2 } });
    await wait(0);
    assert.equal(allJobs().length, 1);
    await fixture.client.patch(cronJobs, name, 'merge', { spec: { startingDeadlineSeconds: null } });
    await wait(0);
    assert.equal(allJobs().length, 2);
    assert.equal(eventsOf('TooManyMissedTimes'), 1);
  });

  it('does not run what a new schedule would have missed', async () => {
    await create({ schedule: '0 0 1 1 *' });
    await wait(10 * MINUTE_MS);
    await fixture.client.patch(cronJobs, name, 'merge', { spec: { schedule: '*/5 * * * *' } });
    await wait(0);
    assert.deepEqual(allJobs(), []);
    await wait(MINUTE_MS);
    assert.equal(allJobs().length, 1);
  });

  it('runs no time twice where the clock of the host is set forwards and back', async () => {
    await create();
    await wait(MINUTE_MS);
    assert.equal(allJobs().length, 1);
    const touch = async (): Promise<void> => {
      await fixture.client.patch(cronJobs, name, 'merge', {
        metadata: { labels: { at: `${fixture.clock.wallMs()}` } },
      });
      await wait(0);
    };
    const hour = 60 * MINUTE_MS;
    fixture.clock.setWall(fixture.clock.wallMs() + hour);
    await touch();
    assert.equal(cronJob().status.lastScheduleTime, '2026-01-02T04:05:00Z');
    assert.equal(allJobs().length, 2);
    for (const job of allJobs()) fixture.cluster.remove(jobs, job.metadata as { name: string; namespace: string });
    fixture.clock.setWall(fixture.clock.wallMs() - 2 * hour);
    await touch();
    await wait(2 * MINUTE_MS);
    fixture.clock.setWall(fixture.clock.wallMs() + hour - MINUTE_MS);
    await touch();
    assert.deepEqual(allJobs(), [], 'these times are over, with jobs that are gone');
    await wait(hour - 2 * MINUTE_MS);
    await touch();
    assert.deepEqual(allJobs(), []);
    await wait(2 * MINUTE_MS);
    assert.deepEqual(
      allJobs().map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']),
      ['2026-01-02T04:06:00Z'],
    );
  });

  it('keeps as many finished jobs as it is to', async () => {
    await create({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    for (const type of ['Complete', 'Failed', 'Complete'] as const) {
      await wait(MINUTE_MS);
      await finish(running()[0]!, type);
    }
    assert.deepEqual(
      allJobs().map(({ status }) => status.conditions?.[0]?.type),
      ['Complete'],
    );
    assert.equal(eventsOf('SuccessfulDelete'), 2);
  });

  it('takes up a job that it created and did not note', async () => {
    await create();
    fixture.client.before = ({ verb }) => {
      if (verb !== 'update') return;
      fixture.client.before = () => undefined;
      throw new Error('broken');
    };
    await wait(MINUTE_MS);
    await wait(1000);
    assert.equal(allJobs().length, 1);
    assert.equal(cronJob().status.active?.length, 1);
    fixture.errors.length = 0;
  });

  it('forgets a job that is gone', async () => {
    await create();
    await wait(MINUTE_MS);
    fixture.cluster.remove(jobs, allJobs()[0]!.metadata as { name: string; namespace: string });
    await wait(0);
    assert.equal(cronJob().status.active, undefined);
    assert.equal(eventsOf('MissingJob'), 1);
  });
});
