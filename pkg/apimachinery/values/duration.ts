/** Durations as Go writes and reads them: `1h30m0s`, `1.5s`, `250ms`. The unit inside is the nanosecond, in 64 bits. */
import { goQuote } from './go-format.ts';

const UNITS = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1000n],
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const INT64_MAX = 2n ** 63n - 1n;

/** The longest that timers of Node take, nearly 25 days, milliseconds: longer ones fire at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** An invalid duration; the message is Go's. */
export class DurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DurationError';
  }
}

/** Nanoseconds of a text; a BigInt where a number would not be exact. Throws DurationError. */
export function parseDuration(text: string): number | bigint {
  const invalid = (): never => {
    throw new DurationError(`time: invalid duration ${goQuote(text)}`);
  };
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  let rest = text.slice(sign.length);
  if (rest === '0') return 0;
  if (rest === '') return invalid();
  let total = 0n;
  while (rest !== '') {
    const match = /^(\d*)(?:\.(\d*))?/.exec(rest);
    const [all = '', whole = '', fraction = ''] = match ?? [];
    if (whole === '' && fraction === '') return invalid();
    rest = rest.slice(all.length);
    const unitText = /^[^\d.]*/.exec(rest)?.[0] ?? '';
    if (unitText === '') throw new DurationError(`time: missing unit in duration ${goQuote(text)}`);
    rest = rest.slice(unitText.length);
    const unit = UNITS.get(unitText);
    if (unit === undefined)
      throw new DurationError(`time: unknown unit ${goQuote(unitText)} in duration ${goQuote(text)}`);
    // Twenty digits are beyond 64 bits in any unit; digits of a fraction beyond the thirtieth do not matter.
    const wholeDigits = whole.replace(/^0+/, '');
    if (wholeDigits.length > 20) return invalid();
    total += BigInt(wholeDigits === '' ? 0 : wholeDigits) * unit;
    const kept = fraction.slice(0, 30);
    if (kept !== '') total += (BigInt(kept) * unit) / 10n ** BigInt(kept.length);
    if (total > INT64_MAX + (sign === '-' ? 1n : 0n)) return invalid();
  }
  return compact(sign === '-' ? -total : total);
}

/** `1h30m`, `5m0s`, `250ms` in milliseconds; undefined for other text and for times below 0. */
export function durationMs(text: string): number | undefined {
  try {
    const ms = Number(parseDuration(text)) / 1e6;
    return ms < 0 ? undefined : ms;
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}

/** The text of nanoseconds: the largest fitting unit below a second, else hours, minutes and seconds. */
export function formatDuration(nanoseconds: number | bigint): string {
  const total = BigInt(nanoseconds);
  if (total === 0n) return '0s';
  const sign = total < 0n ? '-' : '';
  const size = total < 0n ? -total : total;
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 1000n, 3)}\u00b5s`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 1_000_000n, 6)}ms`;
  const seconds = `${decimal(size % 60_000_000_000n, 1_000_000_000n, 9)}s`;
  const minutes = size / 60_000_000_000n;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint, places: number): string {
  const fraction = String(value % unit)
    .padStart(places, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}

function compact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
