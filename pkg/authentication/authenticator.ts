import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../api/resource-definition.ts';

/** The credentials of a request. */
export interface PresentedCredentials {
  /** Authenticators remove the headers that they used, so that credentials go no further. */
  readonly headers: IncomingHttpHeaders;
  /**
   * All values of a header, in the order sent, and as text where they are UTF-8; `headers` has a character of each
   * byte.
   */
  headerValues(name: string): readonly string[];
  /** The values of all headers whose lowercase names begin with `prefix`, by these names. */
  headersWith(prefix: string): ReadonlyMap<string, readonly string[]>;
  /** Takes one header out of the request; `name` is lowercase. */
  removeHeader(name: string): void;
  /** Takes headers out of the request, by lowercase name. */
  removeHeaders(matches: (name: string) => boolean): void;
  /** Warns the client in a `Warning` header. */
  warn(text: string): void;
  /** Replaces all headers of its name, which is lowercase: for a header of which only a part was a credential. */
  replaceHeader(name: string, value: string): void;
  /**
   * The certificate of the connection's client with the chain it sent (`issuerCertificate`), if it sent one. Not
   * verified yet.
   */
  readonly clientCertificate: () => X509Certificate | undefined;
}

/** An authenticated user. */
export interface Authenticated {
  readonly user: UserInfo;
  /** The requested audiences for which the token is valid; absent where the credential has no audiences. */
  readonly audiences?: readonly string[];
  /** For the audit event of the request. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** For `Warning` headers of the answer. */
  readonly warnings?: readonly string[];
}

/**
 * One way to authenticate a request: one folder each. Returns undefined when the request has no credentials of its
 * kind. Throws `InvalidCredentials` when they are invalid; the other authenticators still run. Any other error (a
 * webhook out of reach) is reported and then treated like an invalid credential. Never shows the client what was wrong.
 */
export interface RequestAuthenticator {
  readonly name: string;
  authenticate(credentials: PresentedCredentials): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/** The same for a bearer token alone, from a request or a TokenReview. `audiences`: empty for those of this server. */
export interface TokenAuthenticator {
  readonly name: string;
  authenticateToken(
    token: string,
    audiences: readonly string[],
  ): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/** An invalid credential. The message is for the server's log and must not contain the credential. */
export class InvalidCredentials extends Error {}
