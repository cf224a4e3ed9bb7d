import { constants } from 'node:http2';
import type { RawRequest } from '../request/request-context.ts';

const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** HTTP/1.1 has its timeouts in node; a stream of HTTP/2 is reset when its body does not come. */
export function boundBody(request: RawRequest, requestMs: number): void {
  if (!('stream' in request) || request.stream.endAfterHeaders || !bodyMethods.has(request.method)) return;
  const timer = setTimeout(() => request.stream.close(constants.NGHTTP2_CANCEL), requestMs);
  const stop = (): void => clearTimeout(timer);
  request.once('end', stop);
  request.once('close', stop);
}
