import { isIP } from 'node:net';
import { parseCidr } from '../apimachinery/names/ip.ts';
import type { Check } from './checks.ts';
import { durationMs } from '../apimachinery/values/duration.ts';
import type { OptionType } from './option.ts';

/** As Go reads them, except leading zeros, which mean octal there. */
const whole = /^(?:[+-]?(?:0|[1-9]\d*)|0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/;
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const rule =
  (holds: (value: string) => boolean, text: string): Check =>
  (value) =>
    holds(value) ? undefined : text;

/** The requirements of each type for a value that is not empty; of a list or map, for each item. */
const typeChecks: Readonly<Record<OptionType, Check>> = {
  string: () => undefined,
  bool: rule((value) => value === 'true' || value === 'false', 'must be true or false'),
  int: rule((value) => whole.test(value) && Number.isSafeInteger(Number(value)), 'must be a whole number'),
  uint: rule(
    (value) => whole.test(value) && Number.isSafeInteger(Number(value)) && Number(value) >= 0,
    'must be a whole number of 0 or more',
  ),
  float32: rule((value) => decimal.test(value) && Math.abs(Number(value)) <= 3.4028234663852886e38, 'must be a number'),
  duration: rule((value) => durationMs(value) !== undefined, 'must be a duration such as 30s or 5m0s'),
  ip: rule((value) => isIP(value) !== 0, 'must be an IP address'),
  ipNet: rule(
    (value) => value.split(',').every((range) => parseCidr(range) !== undefined),
    'must be a range such as 10.0.0.0/24',
  ),
  portRange: rule((value) => /^\d{1,5}-\d{1,5}$/.test(value), 'must be a range such as 30000-32767'),
  stringSlice: () => undefined,
  stringArray: () => undefined,
  mapStringString: () => undefined,
  mapStringBool: rule(
    (value) => /^[^=]+=(true|false)$/.test(value),
    'must be pairs such as Name=true, separated by commas',
  ),
  namedCertKey: () => undefined,
};

/** The problem of a value's form, or of one item of a list, in its canonical spelling. */
export function checkType(type: OptionType, value: string): string | undefined {
  return typeChecks[type](value);
}

const truths: ReadonlyMap<string, string> = new Map([
  ...['1', 't', 'T', 'TRUE', 'True'].map((text) => [text, 'true'] as const),
  ...['0', 'f', 'F', 'FALSE', 'False'].map((text) => [text, 'false'] as const),
]);

/** A switch's text as `true` or `false`, from another spelling. */
export function switchText(text: string): string {
  return truths.get(text) ?? text;
}

/** The canonical spelling of a value, or of one item of a list, where there are several; other text stays. */
export function canonicalText(type: OptionType, text: string): string {
  switch (type) {
    case 'bool':
      return switchText(text);
    case 'mapStringBool':
      return text.replace(/^([^=]*?)\s*=\s*(.*)$/, (_, key: string, value: string) => `${key}=${switchText(value)}`);
    case 'ip':
      return text.trim();
    case 'ipNet':
      return text
        .split(',')
        .map((range) => range.trim())
        .join(',');
    case 'portRange':
      return text
        .replace(/^(\d{1,5})$/, '$1-$1')
        .replace(/^(\d{1,5})\+(\d{1,5})$/, (_, low: string, more: string) => `${low}-${Number(low) + Number(more)}`);
    default:
      return text;
  }
}

/** Types without an empty value. */
const neverEmpty: ReadonlySet<OptionType> = new Set([
  'bool',
  'int',
  'uint',
  'float32',
  'duration',
  'ipNet',
  'portRange',
]);

/** Whether an option's value may be empty; of a list, whether it may have no items. */
export function mayBeEmpty(type: OptionType): boolean {
  return !neverEmpty.has(type);
}
