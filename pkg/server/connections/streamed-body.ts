import type { RawRequest } from '../request/request-context.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { requestTarget } from '../request/request-target.ts';

/** The body of such a request is not read ahead: it goes through a proxy as it comes, however long it is. */
export function bodyIsStreamed({ method, url }: RawRequest): boolean {
  // Most requests are told by this alone.
  if (url?.includes('/proxy') !== true) return false;
  const info = parseRequestInfo(method ?? 'GET', requestTarget(url).path, false);
  return info.isResource && info.subresource === 'proxy';
}
