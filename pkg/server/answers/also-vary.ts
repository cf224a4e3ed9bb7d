import type { RawResponse } from '../request/request-context.ts';

/**
 * `Vary` with `names` after those that filters have set: what an answer's own headers say takes the place of that (RFC
 * 9110, section 12.5.5).
 */
export function alsoVary(response: RawResponse, names: string): string {
  const before = response.getHeader('vary');
  return before === undefined ? names : `${String(before)}, ${names}`;
}
