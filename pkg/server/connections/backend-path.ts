import type { RequestInfo } from '../request/request-info.ts';

/** A request's path at `/proxy`. */
export interface ProxiedPath {
  /** Up to `/proxy`, as it was sent. */
  readonly prefix: string;
  /**
   * The rest: empty, or beginning with a slash. Segments are percent-encoded as they were sent; empty ones are left out
   * and dots followed, as clients of stock servers expect.
   */
  readonly tail: string;
}

export function proxiedPath({ path, tail }: Pick<RequestInfo, 'path' | 'tail'>): ProxiedPath {
  const segments = path.split('/');
  const end = segments.length - tail.length - (path.endsWith('/') ? 1 : 0);
  const sent = segments.slice(end);
  return { prefix: segments.slice(0, end).join('/'), tail: sent.length === 0 ? '' : cleaned(sent, tail) };
}

/** `decoded` are the same segments, without the empty one behind a slash at the end. */
function cleaned(sent: readonly string[], decoded: readonly string[]): string {
  const kept: string[] = [];
  for (const [i, segment] of decoded.entries()) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(sent[i]!);
  }
  const isFolder = kept.length > 0 && sent.at(-1) === '';
  return `/${kept.join('/')}${isFolder ? '/' : ''}`;
}
