import { goQuote } from '../../../apimachinery/values/go-format.ts';

/** One field of a cron schedule and its range. */
export interface CronField {
  readonly min: number;
  readonly max: number;
  /** Names of values, lower case. */
  readonly names: ReadonlyMap<string, number>;
}

function named(first: number, words: string): ReadonlyMap<string, number> {
  return new Map(
    words
      .split(' ')
      .filter(Boolean)
      .map((word, i) => [word, first + i]),
  );
}

const NONE = named(0, '');

/** Minute, hour, day of the month, month, day of the week. */
export const CRON_FIELDS: readonly CronField[] = [
  { min: 0, max: 59, names: NONE },
  { min: 0, max: 23, names: NONE },
  { min: 1, max: 31, names: NONE },
  { min: 1, max: 12, names: named(1, 'jan feb mar apr may jun jul aug sep oct nov dec') },
  { min: 0, max: 6, names: named(0, 'sun mon tue wed thu fri sat') },
];

/** The error of a schedule, in the words that clients of stock servers know. */
export class CronError extends Error {}

/** The values that a field's text names (`1-5/2,*`), sorted. Throws CronError. */
export function parseCronField(text: string, field: CronField): number[] {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    if (part === '') continue;
    const { start, end, step } = parseRange(part, field);
    for (let value = start; value <= end; value += step) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

function parseRange(text: string, field: CronField): Range {
  const [span = '', stepText, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreEnds] = span.split('-');
  const any = low === '*' || low === '?';
  const start = any ? field.min : parseValue(low, field);
  let end = any ? field.max : start;
  if (!any && high !== undefined) {
    // Parsing comes before range checks: of two errors the first in the text is reported.
    if (moreEnds.length > 0) throw new CronError(`too many hyphens: ${text}`);
    end = parseValue(high, field);
  }
  if (moreSteps.length > 0) throw new CronError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  // `5/10` starts at 5 and runs to the end.
  if (stepText !== undefined && high === undefined) end = field.max;
  const range = { start, end, step };
  checkRange(range, text, field);
  return range;
}

function checkRange({ start, end, step }: Range, text: string, { min, max }: CronField): void {
  if (start < min) throw new CronError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new CronError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new CronError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new CronError(`step of range should be a positive number: ${text}`);
}

function parseValue(text: string, field: CronField): number {
  return field.names.get(text.toLowerCase()) ?? parseNumber(text);
}

function parseNumber(text: string): number {
  const fail = (why: string): never => {
    throw new CronError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${why}`);
  };
  if (!/^[+-]?[0-9]+$/.test(text)) return fail('invalid syntax');
  const value = Number(text);
  if (Math.abs(value) >= 2 ** 63) return fail('value out of range');
  if (value < 0) throw new CronError(`negative number (${value}) not allowed: ${text}`);
  return value;
}
