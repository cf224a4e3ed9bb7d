import { parseIp } from '../apimachinery/names/ip.ts';
import { LinearPattern } from '../apimachinery/pattern/linear-pattern.ts';
import { PatternError } from '../apimachinery/pattern/pattern-node.ts';

/** Checks of single values of options: each returns the problem, or undefined. */
export type Check = (value: string) => string | undefined;

export const positive: Check = (value) => (Number(value) > 0 ? undefined : 'must be above 0');

/** Of a duration, which has no sign. */
export const longerThanZero: Check = (value) => (/[1-9]/.test(value) ? undefined : 'must be above 0');

export const notNegative: Check = (value) => (Number(value) >= 0 ? undefined : 'must not be negative');

export const port: Check = (value) =>
  Number(value) >= 0 && Number(value) <= 65535 ? undefined : 'must be a port from 0 to 65535';

/** An address at which members of a cluster, on other links, can reach one server. */
export const routableIp: Check = (value) => {
  const ip = parseIp(value);
  if (ip === undefined) return 'must be an IP address without a zone';
  const [first = 0, second = 0] = ip;
  if (ip.length === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80)
    return 'must not be link-local';
  return (ip.length === 4 ? first >= 224 && first < 240 : first === 0xff) ? 'must not be multicast' : undefined;
};

/** One of a closed set. */
export function oneOf(...known: readonly string[]): Check {
  return (value) =>
    known.includes(value) ? undefined : `must be ${known.length === 1 ? known[0] : `one of ${known.join(', ')}`}`;
}

/** A URL with one of the schemes, which has a host. */
export function urlWith(...schemes: readonly string[]): Check {
  return (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const fits = url !== undefined && url.hostname !== '' && schemes.includes(url.protocol.slice(0, -1));
    return fits ? undefined : `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  };
}

/** URLs with one scheme for all of them; returns the problem, or undefined. */
export function sameScheme(urls: readonly string[]): string | undefined {
  return new Set(urls.map((url) => new URL(url).protocol)).size > 1
    ? 'all must have TLS, or none: http:// and https:// cannot be mixed'
    : undefined;
}

/** Text that is a regular expression in Go's syntax. */
export const regularExpression: Check = (value) => {
  try {
    new LinearPattern(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return `must be a regular expression: ${error.message}`;
  }
};

/** `key=value` with a key. */
export const pairWithKey: Check = (value) => (/^[^=]+=/.test(value) ? undefined : 'must be key=value');
