import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { TokenBucket, type BucketSize } from '../../apimachinery/token-bucket.ts';

/** What one HTTP/2 connection may do. */
export interface SessionLimits {
  /** Until its first stream has come with all its headers, milliseconds. */
  readonly firstStreamMs: number;
  /** Streams that end by a reset soon after they began. */
  readonly resets: BucketSize;
}

/** Far more than clients that change their mind; nghttp2 by itself allows a burst of a thousand. */
export const RESETS: BucketSize = { burst: 400, perSecond: 40 };
/** A stream that was open for longer than this cost its client something, too: the bound of open streams holds those down. */
const SOON_MS = 1000;

/**
 * Ends HTTP/2 sessions that cost more than they ask for: those on which no request ever arrives whole, and those that open streams and reset them, or
 * make us reset them, over and over: the work for such a stream goes on when it no longer counts among the open ones (CVE-2023-44487).
 */
export function guardSession(session: ServerHttp2Session, limits: SessionLimits, nowMs: () => number = () => performance.now()): void {
  const timer = setTimeout(() => session.destroy(), limits.firstStreamMs).unref();
  const resets = new TokenBucket(limits.resets, nowMs);
  session.once('stream', () => clearTimeout(timer));
  session.once('close', () => clearTimeout(timer));
  session.on('stream', (stream: ServerHttp2Stream) => {
    const openedMs = nowMs();
    stream.once('close', () => {
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR || nowMs() - openedMs > SOON_MS || session.destroyed) return;
      if (resets.take() === 0) return;
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      session.destroy();
    });
  });
}
