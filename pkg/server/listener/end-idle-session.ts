import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';

/** How long an HTTP/2 connection may be without a request, milliseconds. */
export interface IdleLimits {
  /** Until its first stream has sent all its headers. */
  readonly firstStreamMs: number;
  /** From then on. */
  readonly idleMs: number;
}

/** Ends HTTP/2 sessions without a request in flight: pings, and incomplete headers, keep none open. */
export function endIdleSession(session: ServerHttp2Session, { firstStreamMs, idleMs }: IdleLimits): void {
  let openStreams = 0;
  let dueMs = performance.now() + firstStreamMs;
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    const leftMs = openStreams > 0 ? idleMs : dueMs - performance.now();
    // The first stream may make it due sooner.
    if (leftMs > 0) timer = setTimeout(check, Math.min(leftMs, idleMs)).unref();
    else session.destroy();
  };
  check();
  session.once('close', () => clearTimeout(timer));
  session.on('stream', (stream: ServerHttp2Stream) => {
    openStreams++;
    stream.once('close', () => {
      openStreams--;
      dueMs = performance.now() + idleMs;
    });
  });
}
