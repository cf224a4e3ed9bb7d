/** Values that are a number or a percentage, such as `maxUnavailable: 25%`. */
import { goQuote } from './go-format.ts';

export type IntOrString = number | string;

const PERCENT = /^[0-9]+%$/;
const INT32_MAX = 2147483647;

/** Whether the value is a text of the form `25%`. */
export function isPercentValue(value: IntOrString | null | undefined): boolean {
  return typeof value === 'string' && PERCENT.test(value);
}

/** The number in front of `%`, or undefined when the value is no percentage. */
export function percentOf(value: IntOrString | null | undefined): number | undefined {
  return typeof value === 'string' && PERCENT.test(value) ? Number(value.slice(0, -1)) : undefined;
}

/** The integer that a value stands for: a percentage counts as its number, other texts as 0. */
export function getIntOrPercentValue(value: IntOrString): number {
  return typeof value === 'number' ? value : (percentOf(value) ?? 0);
}

/** What a value means of `total`: numbers as they are, percentages of it. Throws Error on other texts. */
export function scaledValue(value: IntOrString | null | undefined, total: number, roundUp: boolean): number {
  if (value == null) throw new Error('nil value for IntOrString');
  if (typeof value === 'number') return value;
  const percent = percentOf(value);
  if (percent === undefined || percent > INT32_MAX) {
    const problem = value.endsWith('%') ? `invalid value ${goQuote(value)}` : 'invalid type: string is not a percentage';
    throw new Error(`invalid value for IntOrString: ${problem}`);
  }
  const exact = (percent * total) / 100;
  return roundUp ? Math.ceil(exact) : Math.floor(exact);
}
