import { constants, type ServerHttp2Session } from 'node:http2';

/** The highest id: no stream is refused yet. */
export const ANY_STREAM = 2 ** 31 - 1;
/** Time for requests that were sent before the client saw the GOAWAY, milliseconds. */
const ON_THEIR_WAY_MS = 1000;

/**
 * After a request, with `chance`, asks an HTTP/2 client to connect again for its next ones, so that clients spread over
 * the servers behind a load balancer. Requests in flight finish; nothing is refused that the client sent before it knew
 * (RFC 9113, section 6.8).
 */
export function goaway(session: ServerHttp2Session, chance: number, random: () => number = Math.random): void {
  let told = false;
  session.on('stream', () => {
    if (told || random() >= chance) return;
    told = true;
    session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM);
    const timer = setTimeout(() => session.close(), ON_THEIR_WAY_MS).unref();
    session.once('close', () => clearTimeout(timer));
  });
}
