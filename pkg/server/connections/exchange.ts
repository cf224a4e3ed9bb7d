import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { badRequest } from '../../apimachinery/status-error.ts';
import { exchangeError } from './dial-error.ts';
import type { HeaderFields } from './forwarded-headers.ts';

/** A request to a backend. */
export interface BackendRequest {
  readonly method: string;
  /** With its query, as it goes out. */
  readonly path: string;
  readonly headers: HeaderFields;
  /** Sent as it comes; absent: there is none. */
  readonly body?: Readable | undefined;
}

/** What a backend said to it. */
export interface BackendAnswer {
  readonly response: IncomingMessage;
  /** The backend switched protocols: what it sent behind its answer. From here on the socket belongs to the new protocol. */
  readonly upgradeHead: Buffer | undefined;
}

/** Headers of an answer. */
const HEADER_BYTES_MAX = 256 * 1024;

/**
 * Sends a request on a connection that serves nothing else; resolves when the head of the answer is there. The connection ends with the answer's
 * body, unless protocols were switched. Throws `DialError`; 400 for what cannot be sent.
 */
export function exchange(socket: Socket, { method, path, headers, body }: BackendRequest): Promise<BackendAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(exchangeError(error));
    };
    try {
      const sent = httpRequest({ method, path, headers, setHost: false, maxHeaderSize: HEADER_BYTES_MAX, createConnection: () => socket });
      sent.on('error', fail);
      sent.on('response', (response) => resolve({ response, upgradeHead: undefined }));
      sent.on('upgrade', (response: IncomingMessage, _socket: Duplex, upgradeHead: Buffer) => resolve({ response, upgradeHead }));
      if (body === undefined) sent.end();
      else body.pipe(sent);
    } catch {
      socket.destroy();
      reject(badRequest('the request cannot be handed on'));
    }
  });
}
