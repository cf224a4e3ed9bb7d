import { DurationError, parseDuration } from '../../../apimachinery/values/duration.ts';
import { CRON_FIELDS, CronError, parseCronField } from './cron-field.ts';
import { timeZoneProblem } from './time-zone.ts';

export { CronError } from './cron-field.ts';

/** When a cron job runs. */
export type CronSchedule =
  | {
      readonly kind: 'calendar';
      readonly timeZone: string | undefined;
      readonly fields: readonly (readonly number[])[];
    }
  /** Runs one after another; the text asks for whole seconds at least. */
  | { readonly kind: 'interval'; readonly seconds: number };

const DESCRIPTORS = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const EVERY = '@every ';
const NANOSECONDS = 1_000_000_000;

/**
 * Reads five fields, a descriptor such as `@daily`, or `@every 1h`; a `TZ=` or `CRON_TZ=` may go before. Throws
 * CronError.
 */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === '') throw new CronError('empty spec string');
  const { timeZone, rest } = splitTimeZone(text);
  if (rest.startsWith(EVERY)) return { kind: 'interval', seconds: everySeconds(rest) };
  if (rest.startsWith('@') && !DESCRIPTORS.has(rest)) throw new CronError(`unrecognized descriptor: ${rest}`);
  const words = (DESCRIPTORS.get(rest) ?? rest).split(/\s+/u).filter(Boolean);
  if (words.length !== CRON_FIELDS.length) {
    throw new CronError(`expected exactly ${CRON_FIELDS.length} fields, found ${words.length}: [${words.join(' ')}]`);
  }
  return { kind: 'calendar', timeZone, fields: CRON_FIELDS.map((field, i) => parseCronField(words[i]!, field)) };
}

function splitTimeZone(text: string): { timeZone: string | undefined; rest: string } {
  const match = /^(?:CRON_)?TZ=([^ ]*)(.*)$/su.exec(text);
  if (match === null) return { timeZone: undefined, rest: text };
  const [, timeZone = '', rest = ''] = match;
  const problem = timeZone === '' || timeZone === 'UTC' || timeZone === 'Local' ? undefined : timeZoneProblem(timeZone);
  if (problem !== undefined) throw new CronError(`provided bad location ${timeZone}: ${problem}`);
  return { timeZone, rest: rest.trim() };
}

function everySeconds(text: string): number {
  try {
    return Math.max(1, Math.floor(Number(parseDuration(text.slice(EVERY.length))) / NANOSECONDS));
  } catch (e) {
    if (e instanceof DurationError) throw new CronError(`failed to parse duration ${text}: ${e.message}`);
    throw e;
  }
}
