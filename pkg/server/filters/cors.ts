import { LinearPattern } from '../../apimachinery/pattern/linear-pattern.ts';
import { respondBytes } from '../answers/respond.ts';
import type { Filter } from '../request/request-context.ts';

/** Longer ones are no origins: host names have 253 characters at most. */
const ORIGIN_LENGTH_MAX = 512;

const allowed = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
} as const;

/**
 * Allows scripts of some origins to read answers. `origins`: regular expressions in Go's syntax of which one must be
 * found in the origin; they are not anchored, as operators of stock servers expect; `^https://example\.com$` is.
 */
export function cors(origins: readonly string[]): Filter {
  if (origins.length === 0) return (next) => next;
  const patterns = origins.map((origin) => new LinearPattern(origin));
  return (next) => async (context) => {
    const { exchange } = context;
    // Caches must not serve one origin's answer to another, or to requests without one.
    exchange.setHeader('vary', 'Origin');
    const { origin } = context.headers;
    if (origin === undefined || origin.length > ORIGIN_LENGTH_MAX || !patterns.some((pattern) => pattern.test(origin)))
      return next(context);
    exchange.setHeader('access-control-allow-origin', origin);
    for (const [name, value] of Object.entries(allowed)) exchange.setHeader(name, value);
    // The browser's preflight request, without credentials.
    if (context.method === 'OPTIONS') return respondBytes(context, 204, 'text/plain; charset=utf-8', new Uint8Array());
    return next(context);
  };
}
