import type { RawRequest } from '../request/request-context.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { requestTarget } from '../request/request-target.ts';

/** The body of such a request is not read ahead: a proxy streams it, at any length. */
export function bodyIsStreamed({ method, url }: RawRequest): boolean {
  // Enough to decide most requests.
  if (url?.includes('/proxy') !== true) return false;
  const info = parseRequestInfo(method ?? 'GET', requestTarget(url).path, false);
  return info.isResource && info.subresource === 'proxy';
}
