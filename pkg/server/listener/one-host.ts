import type { RawRequest } from '../request/request-context.ts';

/**
 * Whether a request names its host once, as one of HTTP/1.1 must (RFC 9112, section 3.2): with several, this server and
 * a backend could read different ones. Older requests may name none; HTTP/2 has its own rule.
 */
export function namesOneHost({ httpVersion, rawHeaders }: RawRequest): boolean {
  if (!httpVersion.startsWith('1.')) return true;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count === 1 || (count === 0 && httpVersion === '1.0');
}
