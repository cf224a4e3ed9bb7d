import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  /** The answer lasts, as that of a watch does; it holds a connection or stream for so long. */
  readonly lasts: boolean;
  /** Called when a connection is ready, right before the request is written; where it throws nothing is written. */
  readonly beforeSend?: () => void;
  /** Ends request and answer; both fail with the signal's reason. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** To be read to its end, or destroyed. */
  readonly body: Readable;
}

/** Sends requests to one server over connections that it keeps. Rejects where no answer came. */
export interface HttpTransport {
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends all connections, with whatever runs on them. */
  close(): void;
}

/**
 * A kept connection turned out to be closed before anything was answered. What a request on it has done is not known.
 */
export class StaleConnectionError extends Error {
  constructor(options?: ErrorOptions) {
    super('the kept connection was closed', options);
    this.name = 'StaleConnectionError';
  }
}
