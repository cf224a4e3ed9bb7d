/**
 * Times of the API: RFC 3339 texts, and the seconds and nanoseconds of protobuf. Accepted texts and errors are those of
 * Go's `time.Parse`. Seconds since 1970 are plain numbers over the whole range of years 0 to 9999.
 */
import { goQuote } from './go-format.ts';

export { formatDuration, parseDuration } from './duration.ts';

/** A moment, as protobuf has it. `nanos` is never negative, also before 1970. */
export interface Timestamp {
  seconds: number;
  nanos: number;
}

/** An invalid time; the message is Go's. */
export class TimeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TimeError';
  }
}

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00';
/** The text that the server itself writes; anything else takes the slow path. */
const CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** Parses RFC 3339, with or without a fraction of the second. Throws TimeError. */
export function parseTime(text: string): Timestamp {
  return new TimeReader(text, RFC3339).read();
}

/** Parses a MicroTime: exactly six digits of fraction. Throws TimeError. */
export function parseMicroTime(text: string): Timestamp {
  return new TimeReader(text, RFC3339_MICRO).read();
}

/** Whole seconds in UTC: `2020-01-02T03:04:05Z`. */
export function formatTime(time: Date | Timestamp): string {
  return `${dateText(time)}Z`;
}

/** Six digits of fraction in UTC: `2020-01-02T03:04:05.000006Z`. */
export function formatMicroTime(time: Date | Timestamp): string {
  const micros =
    time instanceof Date ? (((time.getTime() % 1000) + 1000) % 1000) * 1000 : Math.floor(time.nanos / 1000);
  return `${dateText(time)}.${String(micros).padStart(6, '0')}Z`;
}

/** The text as the server keeps it: UTC, whole seconds. Throws TimeError. */
export function canonicalTime(text: string): string {
  return CANONICAL.test(text) ? text : formatTime(parseTime(text));
}

function dateText(time: Date | Timestamp): string {
  const seconds = time instanceof Date ? Math.floor(time.getTime() / 1000) : time.seconds;
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new RangeError(`time of ${seconds} seconds is out of range`);
  const text = date.toISOString();
  // Years beyond four digits come as `+012345`, those before the year 0 as `-000001`; Go writes them without the
  // padding.
  if (text.length === 24) return text.slice(0, 19);
  const year = date.getUTCFullYear();
  return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}${text.slice(7, 22)}`;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Seconds since 1970 of a date in UTC. */
function secondsOf(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() / 1000;
}

/** Parses a text along a layout, piece by piece, so that an error can name the part that does not fit. */
class TimeReader {
  private readonly text: string;
  private readonly layout: string;
  private rest: string;

  constructor(text: string, layout: string) {
    this.text = text;
    this.layout = layout;
    this.rest = text;
  }

  read(): Timestamp {
    const year = this.digits(4, 4, '2006');
    this.literal('-');
    const month = this.digits(2, 2, '01', 1, 12, 'month');
    this.literal('-');
    const day = this.digits(2, 2, '02');
    this.literal('T');
    const hour = this.digits(1, 2, '15', 0, 23, 'hour');
    this.literal(':');
    const minute = this.digits(2, 2, '04', 0, 59, 'minute');
    this.literal(':');
    const second = this.digits(2, 2, '05', 0, 59, 'second');
    const nanos = this.layout === RFC3339_MICRO ? this.micros() : this.fraction();
    const offsetSeconds = this.zone();
    if (this.rest !== '') this.fail(`: extra text: ${goQuote(this.rest)}`);
    const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
    const days = month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
    if (day < 1 || day > days) this.fail(': day out of range');
    return { seconds: secondsOf(year, month, day, hour, minute, second) - offsetSeconds, nanos };
  }

  private digits(min: number, max: number, element: string, lo = 0, hi = 9999, name = ''): number {
    let length = 0;
    while (length < max && isDigit(this.rest, length)) length++;
    if (length < min) this.mismatch(this.rest, element);
    const value = Number(this.rest.slice(0, length));
    this.rest = this.rest.slice(length);
    if (value < lo || value > hi) this.fail(`: ${name} out of range`);
    return value;
  }

  private literal(text: string): void {
    if (!this.rest.startsWith(text)) this.mismatch(this.rest, text);
    this.rest = this.rest.slice(text.length);
  }

  /** An optional fraction after the seconds; digits beyond the ninth are dropped. */
  private fraction(): number {
    const match = /^[.,](\d+)/.exec(this.rest);
    if (match === null) return 0;
    this.rest = this.rest.slice(match[0].length);
    return Number((match[1] ?? '').slice(0, 9).padEnd(9, '0'));
  }

  private micros(): number {
    const match = /^[.,](\d{6})/.exec(this.rest);
    if (match === null) return this.mismatch(this.rest, '.000000');
    this.rest = this.rest.slice(match[0].length);
    return Number(match[1]) * 1000;
  }

  private zone(): number {
    if (this.rest.startsWith('Z')) {
      this.rest = this.rest.slice(1);
      return 0;
    }
    const match = /^([+-])(\d\d):(\d\d)/.exec(this.rest);
    if (match === null) return this.mismatch(this.rest, 'Z07:00');
    const [all, sign, hours, minutes] = match;
    this.rest = this.rest.slice(all.length);
    if (Number(hours) > 24) this.fail(': time zone offset hour out of range');
    if (Number(minutes) > 60) this.fail(': time zone offset minute out of range');
    return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  }

  private mismatch(value: string, element: string): never {
    throw new TimeError(
      `parsing time ${goQuote(this.text)} as "${this.layout}": cannot parse ${goQuote(value)} as "${element}"`,
    );
  }

  private fail(message: string): never {
    throw new TimeError(`parsing time ${goQuote(this.text)}${message}`);
  }
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}
