/** How long clients may take, milliseconds. */
export interface Timeouts {
  /** From a connection's beginning to the end of its TLS handshake. */
  readonly handshakeMs: number;
  readonly headersMs: number;
  /** A whole request with its body; watches are answers and have no such bound. */
  readonly requestMs: number;
  /** Without a request. */
  readonly idleMs: number;
  /** Interval of checks for late clients. */
  readonly checkMs: number;
}

/** Idle connections are kept for longer than load balancers do, so that they, not we, close them. */
export const defaultTimeouts: Timeouts = {
  handshakeMs: 10_000,
  headersMs: 30_000,
  requestMs: 60_000,
  idleMs: 3 * 60_000,
  checkMs: 5000,
};
/** Request line and headers. Holds the longest accepted selectors, percent-encoded. */
export const HEADER_BYTES_MAX = 256 * 1024;
/**
 * As many headers as these bytes may hold where each counts 32 more (RFC 9113, 6.5.2); a proxy may name hundreds of
 * groups of a user.
 */
export const HTTP2_HEADERS_MAX = HEADER_BYTES_MAX / 32;
/** Streams at a time of one HTTP/2 connection: a client's watches share one. */
export const STREAMS_MAX = 1000;
/**
 * The same before a request of the connection was authenticated. Clients assume a hundred until they get the settings
 * (RFC 9113, 6.5.2).
 */
export const UNAUTHENTICATED_STREAMS_MAX = 100;
/**
 * Memory of one HTTP/2 connection, megabytes; beyond it new streams are refused. A slice of an answer waits in each
 * stream.
 */
export const SESSION_MEGABYTES_MAX = 64;
