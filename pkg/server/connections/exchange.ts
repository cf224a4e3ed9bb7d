import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import { DialError, exchangeError } from './dial-error.ts';
import type { HeaderFields } from './forwarded-headers.ts';

/** A request to a backend. */
export interface BackendRequest {
  readonly method: string;
  /** With its query, as it goes out. */
  readonly path: string;
  readonly headers: HeaderFields;
  /** Streamed; absent: there is none. */
  readonly body?: Readable | undefined;
}

/** The answer of a backend. */
export interface BackendAnswer {
  readonly response: IncomingMessage;
  /**
   * The backend switched protocols, as requested: the bytes behind its answer. From here on the socket belongs to the
   * new protocol.
   */
  readonly upgradeHead: Buffer | undefined;
}

/** Headers of an answer. */
const HEADER_BYTES_MAX = 256 * 1024;

/**
 * Sends a request on a connection that serves nothing else; resolves when the head of the answer is there. The
 * connection ends with the answer's body, unless protocols were switched. Throws `DialError`; 400 for an invalid
 * request.
 */
export function exchange(socket: Socket, { method, path, headers, body }: BackendRequest): Promise<BackendAnswer> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    try {
      const sent = httpRequest({
        method,
        path,
        headers,
        setHost: false,
        maxHeaderSize: HEADER_BYTES_MAX,
        createConnection: () => socket,
      });
      sent.on('error', (error) => refuse(exchangeError(error)));
      sent.on('response', (response) => {
        // No other status can be answered over every protocol.
        if (!isAnswerable(response.statusCode ?? 0))
          refuse(new DialError(`malformed HTTP status code ${goQuote(String(response.statusCode))}`));
        else resolve({ response, upgradeHead: undefined });
      });
      sent.on('upgrade', (response: IncomingMessage, _socket: Duplex, upgradeHead: Buffer) => {
        if (headers['upgrade'] === undefined)
          refuse(
            new DialError(
              `backend tried to switch protocol ${goQuote(response.headers.upgrade ?? '')} when "" was requested`,
            ),
          );
        else resolve({ response, upgradeHead });
      });
      if (body === undefined) sent.end();
      else body.pipe(sent);
    } catch {
      refuse(badRequest('the request cannot be handed on'));
    }
  });
}

function isAnswerable(status: number): boolean {
  return status >= 200 && status < 600;
}
