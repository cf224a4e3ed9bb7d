import assert from 'node:assert/strict';
import { parseCronSchedule } from '../../api/batch/cron-job/cron-schedule.ts';
import { nextTime } from './next-time.ts';

function next(schedule: string, after: string, timeZone?: string): string {
  const ms = nextTime(parseCronSchedule(schedule), Date.parse(after), timeZone);
  return ms === undefined ? 'never' : new Date(ms).toISOString().replace('.000', '');
}

describe('nextTime', () => {
  const cases: [string, string, string, string?][] = [
    ['*/5 * * * *', '2026-01-02T03:04:05Z', '2026-01-02T03:05:00Z'],
    ['*/5 * * * *', '2026-01-02T03:05:00Z', '2026-01-02T03:10:00Z'],
    ['0 0 1 1 *', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['0 12 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T12:00:00Z'],
    ['59 23 31 2 *', '2026-01-01T00:00:00Z', 'never'],
    // A day of the month or of the week, where both are given.
    ['0 0 13 * 5', '2026-01-02T00:00:00Z', '2026-01-09T00:00:00Z'],
    ['0 0 13 * 5', '2026-01-09T00:00:00Z', '2026-01-13T00:00:00Z'],
    ['0 0 * * 5', '2026-01-02T00:00:00Z', '2026-01-09T00:00:00Z'],
    ['@every 90s', '2026-01-02T03:04:05.700Z', '2026-01-02T03:05:35Z'],
    ['@daily', '2026-06-01T12:00:00Z', '2026-06-01T22:00:00Z', 'Europe/Berlin'],
    ['0 9 * * *', '2026-01-02T00:00:00Z', '2026-01-02T03:30:00Z', 'Asia/Kolkata'],
    ['TZ=America/New_York 0 9 * * *', '2026-01-02T00:00:00Z', '2026-01-02T14:00:00Z'],
    // Clocks skip 02:30 on 29 March, and show it twice on 25 October.
    ['30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z', 'Europe/Berlin'],
    ['30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z', 'Europe/Berlin'],
    ['30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', 'Europe/Berlin'],
    ['30 2 * * *', '2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z', 'Europe/Berlin'],
  ];
  for (const [schedule, after, expected, zone] of cases) {
    it(`${schedule} after ${after}${zone === undefined ? '' : ` in ${zone}`} is ${expected}`, () =>
      assert.equal(next(schedule, after, zone), expected));
  }
});
