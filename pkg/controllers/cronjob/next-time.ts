import { type CronSchedule } from '../../api/batch/cron-job/cron-schedule.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** `Local` is the zone of the host, whose clock is taken to be in UTC. */
const UTC_NAMES: ReadonlySet<string> = new Set(['', 'Local', 'UTC', 'Etc/UTC']);
/** By so much clocks go back at most: times that they show twice lie no further behind. */
const REPEATED_MS = 3 * 60 * MINUTE_MS;
/** A schedule such as the 31st of February never comes. */
const DAYS_MAX = 5 * 366;

/** The first time of the schedule after a moment; undefined: there is none within five years. */
export function nextTime(schedule: CronSchedule, afterMs: number, timeZone: string | undefined): number | undefined {
  if (schedule.kind === 'interval') return Math.floor(afterMs / SECOND_MS) * SECOND_MS + schedule.seconds * SECOND_MS;
  const fields = schedule.fields.map((values) => new Set(values));
  const [minutes, hours] = schedule.fields;
  const local = new LocalTime(schedule.timeZone ?? timeZone ?? 'UTC');
  const fromWallMs = local.wallOf(afterMs) - REPEATED_MS;
  const firstDayMs = Math.floor(fromWallMs / DAY_MS) * DAY_MS;
  for (let day = 0; day < DAYS_MAX; day++) {
    const dayMs = firstDayMs + day * DAY_MS;
    if (!isDayOf(schedule.fields, fields, new Date(dayMs))) continue;
    for (const hour of hours!) {
      for (const minute of minutes!) {
        const wallMs = dayMs + (hour * 60 + minute) * MINUTE_MS;
        const found = wallMs < fromWallMs ? undefined : local.momentsOf(wallMs).find((ms) => ms > afterMs);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

/** A day of the month or of the week, where both are restricted; else the one that is. */
function isDayOf(fields: readonly (readonly number[])[], sets: readonly Set<number>[], date: Date): boolean {
  if (!sets[3]!.has(date.getUTCMonth() + 1)) return false;
  const [ofMonth, ofWeek] = [sets[2]!.has(date.getUTCDate()), sets[4]!.has(date.getUTCDay())];
  const isEveryDay = fields[2]!.length === 31 || fields[4]!.length === 7;
  return isEveryDay ? ofMonth && ofWeek : ofMonth || ofWeek;
}

/** Local times of a zone; a wall time is written as the milliseconds that it would be in UTC. */
class LocalTime {
  /** Undefined for UTC, which needs no conversions. */
  private readonly format: Intl.DateTimeFormat | undefined;

  constructor(timeZone: string) {
    if (UTC_NAMES.has(timeZone)) return;
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  wallOf(ms: number): number {
    if (this.format === undefined) return Math.floor(ms / SECOND_MS) * SECOND_MS;
    const parts = new Map(this.format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  }

  /** When the clocks of the zone show a wall time: never where they skip it, twice where they repeat it. */
  momentsOf(wallMs: number): number[] {
    const offsets = new Set([wallMs - DAY_MS, wallMs + DAY_MS].map((ms) => this.wallOf(ms) - ms));
    return [...offsets]
      .map((offset) => wallMs - offset)
      .filter((ms) => this.wallOf(ms) === wallMs)
      .toSorted((a, b) => a - b);
  }
}
