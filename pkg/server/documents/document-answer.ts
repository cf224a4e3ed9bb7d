import { createHash, webcrypto } from 'node:crypto';

/** The parts of the request that the answer depends on; header values unparsed. */
export interface DocumentRequest {
  /** Path of the request without query; one trailing slash is allowed. */
  readonly path: string;
  readonly accept?: string;
  readonly acceptEncoding?: string;
  readonly ifNoneMatch?: string;
  /** The query's `hash`, on OpenAPI v3 documents. */
  readonly hash?: string;
  /** JSON with line breaks. */
  readonly pretty?: boolean;
}

/** An answer ready to be written. Every field except `body`, `status` and `headers` is also in `headers`. */
export interface DocumentAnswer {
  readonly status: 200 | 301 | 304;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** With quotes, as the header has it. */
  readonly etag?: string;
  /** Complete except Content-Length and Date. */
  readonly headers: Readonly<Record<string, string>>;
}

const nothing = new Uint8Array(0);

/** Upper-case hex of the SHA-512, as clients have seen it from other servers; opaque to them. */
export function contentHash(bytes: Uint8Array): string {
  return createHash('sha512').update(bytes).digest('hex').toUpperCase();
}

/** The same for large contents, off the calling thread. */
export async function contentHashOfLarge(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-512', bytes))
    .toString('hex')
    .toUpperCase();
}

/** 200 with the bytes, or 304 when `ifNoneMatch` names them. */
export function answerBytes(
  body: Uint8Array,
  contentType: string,
  options: { etag?: string; ifNoneMatch?: string; headers?: Record<string, string> } = {},
): DocumentAnswer {
  const { etag, ifNoneMatch } = options;
  const headers: Record<string, string> = { 'content-type': contentType, ...options.headers };
  if (etag === undefined) return { status: 200, contentType, body, headers };
  headers['etag'] = etag;
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) {
    delete headers['content-type'];
    delete headers['content-encoding'];
    return { status: 304, contentType, body: nothing, etag, headers };
  }
  return { status: 200, contentType, body, etag, headers };
}

export function redirect(location: string): DocumentAnswer {
  return { status: 301, contentType: 'text/plain', body: nothing, headers: { location } };
}

/** Weak comparison of entity tags (RFC 9110, section 13.1.2). */
function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((tag) => {
    const trimmed = tag.trim();
    return trimmed === '*' || trimmed.replace(/^W\//, '') === etag;
  });
}
