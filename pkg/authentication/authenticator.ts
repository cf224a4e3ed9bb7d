import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../api/resource-definition.ts';

/** What a request shows of who sends it. */
export interface PresentedCredentials {
  /** Authenticators take out the headers that they used, so that credentials go no further. */
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
  /** Warns the client of something that it should fix, in a `Warning` header. */
  warn(text: string): void;
  /**
   * Puts one header in the place of all of its name, which is lowercase: for one that was a credential only in part.
   */
  replaceHeader(name: string, value: string): void;
  /**
   * The certificate of the connection's client with the chain it sent (`issuerCertificate`), where it sent one. Nobody
   * has verified it yet.
   */
  readonly clientCertificate: () => X509Certificate | undefined;
}

/** Somebody who is known. */
export interface Authenticated {
  readonly user: UserInfo;
  /**
   * Audiences for which the token is good, of those that were asked for; absent where the credential knows no
   * audiences.
   */
  readonly audiences?: readonly string[];
  /** For the audit event of the request. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** For `Warning` headers of the answer. */
  readonly warnings?: readonly string[];
}

/**
 * One way to tell who sends a request: one folder each. Gives undefined when the request shows nothing of its kind.
 * Throws `InvalidCredentials` when it shows something that is not good; the others are still asked. Whatever else it
 * throws is a failure of its own (a webhook out of reach), reported and then taken like an invalid credential. Never
 * tells the client what was wrong.
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

/**
 * A credential that is not good. The message is for the log of whoever runs the server and must not hold the
 * credential.
 */
export class InvalidCredentials extends Error {}
