import assert from 'node:assert/strict';
import { parseCronSchedule } from '../../api/batch/cron-job/cron-schedule.ts';
import type { CronJob } from '../../generated/types/batch-v1.ts';
import { dueRun, EmptyScheduleError, nextRunInMs } from './missed-runs.ts';

const NOW = '2026-01-02T12:00:30Z';

function cronJob(schedule: string, last: string, startingDeadlineSeconds?: number): CronJob {
  const deadline = startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds };
  return {
    metadata: { name: 'tick', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { schedule, ...deadline, jobTemplate: { metadata: {}, spec: { template: { metadata: {}, spec: {} } } } },
    status: { lastScheduleTime: last },
  } as unknown as CronJob;
}

function due(schedule: string, last: string, deadline?: number): string {
  const { dueMs, missed } = dueRun(cronJob(schedule, last, deadline), parseCronSchedule(schedule), Date.parse(NOW));
  return `${dueMs === undefined ? 'nothing' : new Date(dueMs).toISOString().slice(11, 19)} ${missed}`;
}

describe('missed runs', () => {
  const cases: [string, string, string, number?][] = [
    ['* * * * *', '2026-01-02T12:00:00Z', 'nothing none'],
    ['* * * * *', '2026-01-02T11:59:00Z', '12:00:00 none'],
    ['* * * * *', '2026-01-02T11:50:00Z', '12:00:00 few'],
    ['* * * * *', '2026-01-02T08:00:00Z', '12:00:00 many'],
    ['* * * * *', '2026-01-02T08:00:00Z', '12:00:00 few', 600],
    ['* * * * *', '2026-01-02T08:00:00Z', 'nothing none', 20],
    ['30 6-16/4 * * 1-5', '2026-01-01T10:30:00Z', '10:30:00 few'],
    ['@every 7m', '2026-01-02T11:00:00Z', '11:56:00 few'],
  ];
  for (const [schedule, last, expected, deadline] of cases) {
    it(`${schedule}, last at ${last}, deadline ${deadline ?? 'none'}: ${expected}`, () =>
      assert.equal(due(schedule, last, deadline), expected));
  }

  it('fails for schedules that never come', () => {
    assert.throws(() => due('0 0 31 2 *', '2026-01-01T00:00:00Z'), EmptyScheduleError);
  });

  it('comes back a little after the next time', () => {
    const next = (last: string): number | undefined =>
      nextRunInMs(cronJob('* * * * *', last), parseCronSchedule('* * * * *'), Date.parse(NOW));
    assert.equal(next('2026-01-02T12:00:00Z'), 30_100);
    assert.equal(next('2026-01-02T08:00:00Z'), 30_100);
  });
});
