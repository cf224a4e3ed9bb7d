/** Values that are a number or a percentage, such as `maxUnavailable: 25%`. */
import { goQuote } from './go-format.ts';

export type IntOrString = number | string;

const PERCENT = /^[0-9]+%$/;
const INT32_MAX = 2147483647;

/** The number before `%`, or undefined when the value is no percentage. */
export function percentOf(value: IntOrString | null | undefined): number | undefined {
  return typeof value === 'string' && PERCENT.test(value) ? Number(value.slice(0, -1)) : undefined;
}

/** A value as a share of `total`: numbers unchanged, percentages of it. Throws Error on other texts. */
export function scaledValue(value: IntOrString | null | undefined, total: number, roundUp: boolean): number {
  if (value == null) throw new Error('nil value for IntOrString');
  if (typeof value === 'number') return value;
  const percent = percentOf(value);
  if (percent === undefined || percent > INT32_MAX) {
    const problem = value.endsWith('%')
      ? `invalid value ${goQuote(value)}`
      : 'invalid type: string is not a percentage';
    throw new Error(`invalid value for IntOrString: ${problem}`);
  }
  const exact = (percent * total) / 100;
  return roundUp ? Math.ceil(exact) : Math.floor(exact);
}
