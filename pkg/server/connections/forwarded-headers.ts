import { isTokenProtocol, SUBPROTOCOL_HEADER, subprotocols } from '../../authentication/websocket-token.ts';
import type { RequestContext } from '../request/request-context.ts';

/** Names in lower case, each with its values in the order sent; as node's clients and servers take them. */
export type HeaderFields = Record<string, string[]>;

/** Hop-by-hop (RFC 9110, 7.6.1). `Expect` is answered by the server that reads it. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
]);

/**
 * Headers that frame and address a message: a client that lists them as hop-by-hop would make the next hop read another
 * message than this server.
 */
const endToEnd: ReadonlySet<string> = new Set(['host', 'content-length']);

/** Credentials, or claims of identity: for this server and not for its backends. */
const credentials = /^(authorization$|impersonate-|x-remote-)/;

/** Set by this server's own options, not by backends. */
const crossOrigin: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

/** Headers of a client's request that its backend may see, with the client's address added. */
export function requestHeaders(context: RequestContext): HeaderFields {
  const { request, headers } = context;
  const fields = fieldsOf(request.rawHeaders, (name) => name.startsWith(':') || credentials.test(name));
  const authority = headers[':authority'];
  if (typeof authority === 'string') fields.set('host', [authority]);
  const address = context.remoteAddress;
  if (address !== undefined)
    fields.set('x-forwarded-for', [[...(fields.get('x-forwarded-for') ?? []), address].join(', ')]);
  const protocols = fields.get(SUBPROTOCOL_HEADER);
  const others = subprotocols(protocols ?? []).filter((protocol) => protocol !== '' && !isTokenProtocol(protocol));
  if (others.length > 0) fields.set(SUBPROTOCOL_HEADER, [others.join(', ')]);
  else fields.delete(SUBPROTOCOL_HEADER);
  return Object.fromEntries(fields);
}

/** Headers of a backend's answer that its client may see. */
export function responseHeaders(rawHeaders: readonly string[]): HeaderFields {
  return Object.fromEntries(fieldsOf(rawHeaders, (name) => crossOrigin.has(name)));
}

/** All except hop-by-hop headers, and those that `Connection` may list as such. */
function fieldsOf(rawHeaders: readonly string[], isDropped: (name: string) => boolean): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  const named = new Set<string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!;
    if (name === 'connection') for (const token of value.toLowerCase().split(',')) named.add(token.trim());
    if (hopByHop.has(name) || isDropped(name)) continue;
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  for (const name of named) if (!endToEnd.has(name)) fields.delete(name);
  return fields;
}
