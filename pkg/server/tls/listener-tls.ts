import type { SecureContext, SecureContextOptions } from 'node:tls';

/** A certificate chain and its private key, PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What the listener of the secure port asks of its TLS. */
export interface ListenerTls {
  /** Certificate, versions and suites for clients that ask for no name that another pair has. */
  readonly context: SecureContextOptions;
  /**
   * Clients are asked for a certificate, which is optional and not verified here: that is for authentication, request
   * by request.
   */
  readonly requestCert?: boolean;
  /** Pairs for single names; undefined: the default pair. Absent where there are none. */
  readonly contextFor?: (serverName: string) => SecureContext | undefined;
  /**
   * Tells of another `context` to use from now on; connections that exist stay as they are. Absent where it never
   * changes.
   */
  readonly follow?: (use: (context: SecureContextOptions) => void) => void;
}
