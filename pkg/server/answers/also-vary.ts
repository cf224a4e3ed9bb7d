import type { RawResponse } from '../request/request-context.ts';

/**
 * `Vary` with `names` after those that filters have set: an answer's own headers replace those (RFC
 * 9110, section 12.5.5).
 */
export function alsoVary(response: RawResponse, names: string): string {
  const before = response.getHeader('vary');
  return before === undefined ? names : `${String(before)}, ${names}`;
}
