import { hostPort, type Backend } from './backend.ts';
import type { ForwardedAnswer } from './send-answer.ts';

/** The address of a backend as its clients see it. */
export interface ProxiedPlace {
  /** Path of the proxy, such as `/api/v1/nodes/a/proxy`. */
  readonly prefix: string;
  readonly backend: Backend;
  /** The `Host` in the client's request; the backend got the same. */
  readonly sentHost: string;
}

/**
 * Makes redirects of a backend to itself lead through the proxy. Redirects to elsewhere are for the client to follow.
 */
export function placeRewriter(place: ProxiedPlace): (answer: ForwardedAnswer) => ForwardedAnswer {
  return (answer) => {
    const locations = answer.headers['location'];
    if (locations === undefined) return answer;
    return {
      ...answer,
      headers: { ...answer.headers, location: locations.map((location) => rewriteLocation(location, place)) },
    };
  };
}

/**
 * A reference as a client of the proxy must follow it: one that names another host, or is relative, stays unchanged.
 * One that names the requested host keeps it, with its scheme.
 */
export function rewriteLocation(location: string, { prefix, backend, sentHost }: ProxiedPlace): string {
  const [, origin = '', host, path = ''] = /^((?:https?:)?\/\/([^/?#]*))?(.*)$/is.exec(location)!;
  const isElsewhere = host !== undefined && host !== hostPort(backend) && host !== backend.host && host !== sentHost;
  if (isElsewhere || !path.startsWith('/')) return location;
  const isBehind = path === prefix || path.startsWith(`${prefix}/`);
  return (host === sentHost ? origin : '') + (isBehind ? path : prefix + path.replace(/^\/+/, '/'));
}
