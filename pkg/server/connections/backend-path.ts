import type { RequestInfo } from '../request-info.ts';

/** What stands behind `/proxy` in a request's path, percent-encoded as it was sent: empty, or beginning with a slash. */
export function tailPath({ path, tail }: RequestInfo): string {
  const segments = path.split('/');
  const behind = tail.length + (path.endsWith('/') ? 1 : 0);
  return behind === 0 ? '' : `/${segments.slice(segments.length - behind).join('/')}`;
}
