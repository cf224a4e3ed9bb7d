/** How long clients may take, milliseconds. */
export interface Timeouts {
  readonly headersMs: number;
  /** A whole request with its body; watches are answers and have no such bound. */
  readonly requestMs: number;
  /** Between two looks at who is late. */
  readonly checkMs: number;
}

export const defaultTimeouts: Timeouts = { headersMs: 30_000, requestMs: 60_000, checkMs: 5000 };
/** Longer than load balancers keep idle connections, so that they, not we, close them. */
export const KEEP_ALIVE_MS = 3 * 60_000;
export const HANDSHAKE_MS = 10_000;
/** Request line and headers. Holds the longest selectors that are read, percent-encoded. */
export const HEADER_BYTES_MAX = 256 * 1024;
/** Streams at a time of one HTTP/2 connection: a client's watches share one. */
export const STREAMS_MAX = 1000;
/** Memory of one HTTP/2 connection, megabytes; beyond it new streams are refused. A slice of an answer waits in each stream. */
export const SESSION_MEGABYTES_MAX = 64;
