import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { TokenBucket, type BucketSize } from '../../apimachinery/collections/token-bucket.ts';

/**
 * Limit of streams of one connection that end by a reset soon after they began. Far more than clients cancel; nghttp2
 * itself allows a burst of a thousand.
 */
const RESETS: BucketSize = { burst: 400, perSecond: 40 };
/**
 * A stream that was open for longer than this cost its client something, too: the bound of open streams limits those.
 */
const SOON_MS = 1000;

/**
 * Ends HTTP/2 sessions that open streams and reset them, or make us reset them, over and over: the work for such a
 * stream continues when it no longer counts among the open ones (CVE-2023-44487).
 */
export function guardSession(
  session: ServerHttp2Session,
  size: BucketSize = RESETS,
  nowMs: () => number = () => performance.now(),
): void {
  const resets = new TokenBucket(size, nowMs);
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
