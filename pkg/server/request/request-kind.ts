import type { RequestInfo } from './request-info.ts';

const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Open for as long as the client likes: neither timed out nor counted among the requests in flight. */
export function isLongRunning(info: RequestInfo): boolean {
  if (info.isResource) return info.verb === 'watch' || longRunningSubresources.has(info.subresource);
  return info.verb === 'watch' || info.path.startsWith('/debug/pprof/');
}

/** Changes nothing. */
export function isReadOnly(info: RequestInfo): boolean {
  return info.verb === 'get' || info.verb === 'list' || info.verb === 'watch' || info.verb === 'head';
}
