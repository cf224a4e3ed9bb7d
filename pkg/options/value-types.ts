import { isIP } from 'node:net';
import { parseCidr } from '../apimachinery/ip.ts';
import type { Check } from './checks.ts';
import { durationMs } from '../apimachinery/duration.ts';
import type { OptionType } from './option.ts';

const whole = /^-?\d+$/;
const decimal = /^-?\d+(\.\d+)?(e-?\d+)?$/i;

const rule = (holds: (value: string) => boolean, text: string): Check => (value) => (holds(value) ? undefined : text);

/** What each type demands of a value that is not empty; of a list or map, of each item. */
const typeChecks: Readonly<Record<OptionType, Check>> = {
  string: () => undefined,
  bool: rule((value) => value === 'true' || value === 'false', 'must be true or false'),
  int: rule((value) => whole.test(value) && Number.isSafeInteger(Number(value)), 'must be a whole number'),
  uint: rule((value) => /^\d+$/.test(value) && Number.isSafeInteger(Number(value)), 'must be a whole number of 0 or more'),
  float32: rule((value) => decimal.test(value) && Math.abs(Number(value)) <= 3.4028234663852886e38, 'must be a number'),
  duration: rule((value) => durationMs(value) !== undefined, 'must be a duration such as 30s or 5m0s'),
  ip: rule((value) => isIP(value) !== 0, 'must be an IP address'),
  ipNet: rule((value) => parseCidr(value) !== undefined, 'must be a range such as 10.0.0.0/24'),
  portRange: rule((value) => /^\d{1,5}-\d{1,5}$/.test(value), 'must be a range such as 30000-32767'),
  stringSlice: () => undefined,
  stringArray: () => undefined,
  mapStringString: () => undefined,
  mapStringBool: rule((value) => /^[^=]+=(true|false)$/.test(value), 'must be pairs such as Name=true, separated by commas'),
  namedCertKey: () => undefined,
};

/** What is wrong with the form of a value, or of one item of a list. */
export function checkType(type: OptionType, value: string): string | undefined {
  return typeChecks[type](value);
}
