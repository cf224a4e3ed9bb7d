import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import { SUBPROTOCOL_HEADER, subprotocols } from '../../authentication/websocket-token.ts';
import { pendingUpgrade } from '../connections/pending-upgrade.ts';
import type { RequestContext } from '../request/request-context.ts';

const VERSION = '13';
const KEY_BYTES = 16;
/** Of every WebSocket (RFC 6455, section 1.3). */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A connection that its client asks to be a WebSocket, and what to answer. */
export interface WebSocketHandshake {
  readonly socket: Socket;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The handshake of a client that wants a WebSocket; undefined for one that does not. Throws 400 for an invalid
 * handshake, and for several subprotocols: one alone is echoed, and does not affect the frames.
 */
export function webSocketHandshake(context: RequestContext): WebSocketHandshake | undefined {
  const { headers, response } = context;
  const socket = pendingUpgrade(context.request);
  if (socket === undefined || headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  if (context.method !== 'GET') throw badRequest('a WebSocket begins with GET');
  if (headers['sec-websocket-version'] !== VERSION) {
    response.setHeader('sec-websocket-version', VERSION);
    throw badRequest('missing or bad WebSocket version');
  }
  const key = headers['sec-websocket-key'] ?? '';
  if (Buffer.from(key, 'base64').length !== KEY_BYTES) throw badRequest('missing or bad WebSocket key');
  const protocols = subprotocols(context.headerValues(SUBPROTOCOL_HEADER)).filter((protocol) => protocol !== '');
  if (protocols.length > 1) throw badRequest('more than one WebSocket subprotocol');
  return {
    socket,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-accept': createHash('sha1')
        .update(key + KEY_SUFFIX)
        .digest('base64'),
      ...(protocols[0] === undefined ? {} : { [SUBPROTOCOL_HEADER]: protocols[0] }),
    },
  };
}

/** Switches the connection, which then belongs to the caller. */
export function switchToWebSocket(context: RequestContext, { socket, headers }: WebSocketHandshake): void {
  // Upgrades come over HTTP/1.1 alone.
  const response = context.response as ServerResponse;
  response.writeHead(101, { 'audit-id': context.id, ...headers });
  response.flushHeaders();
  response.detachSocket(socket);
}
