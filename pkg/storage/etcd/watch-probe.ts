/** Questions that only a watch answers, each with a separate watch that ends with the answer. */
import type { OpenWatch, WatchRange } from './watch-connection.ts';

const probeTimeoutMs = 5000;
const everyKey = { key: Buffer.from([0]), end: Buffer.from([0]), prefixBytes: 0 };

/**
 * The newest revision in (after, upTo] that changed a key under `prefix`, or `after` when none did. `upTo` must have
 * happened.
 *
 * Every revision changes some key, so a watch of all keys reaches `upTo` in finite time and in order, which proves
 * what it did not see. etcd has a request for the progress of a watch, but up to 3.4.24 and 3.5.7 its answer may
 * overtake changes that are still to be sent.
 */
export function lastChangeOf(open: OpenWatch, after: number, upTo: number, prefix: string): Promise<number> {
  let last = after;
  return probe<number>(open, { ...everyKey, startRevision: after + 1 }, (events, done) => {
    for (const event of events) {
      if (event.revision <= upTo && event.key.startsWith(prefix)) last = event.revision;
    }
    if ((events.at(-1)?.revision ?? 0) >= upTo) done(last);
  });
}

/** The revision below which etcd has no history; 0 when nothing was compacted. */
export async function compactRevisionOf(open: OpenWatch): Promise<number> {
  // A watch from the first revision is refused, and the refusal has the answer. When it is not, the first change comes
  // at once: every store has one.
  return probe<number>(open, { ...everyKey, startRevision: 1 }, (_events, done) => done(0), true);
}

function probe<T>(
  open: OpenWatch,
  range: WatchRange,
  onEvents: (events: readonly { key: string; revision: number }[], done: (result: T) => void) => void,
  compactedIsResult = false,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      connection.close();
      settle();
    };
    const timer = setTimeout(
      () => finish(() => reject(new Error(`no answer within ${probeTimeoutMs} ms`))),
      probeTimeoutMs,
    ).unref();
    const connection = open(range, {
      onCreated: () => undefined,
      onProgress: () => undefined,
      onEvents: (events) => onEvents(events, (result) => finish(() => resolve(result))),
      onEnd: (end) =>
        finish(() => {
          if (end.kind === 'compacted' && compactedIsResult) resolve(end.compactRevision as T);
          else reject(new Error(`the probe ended: ${end.kind}`));
        }),
    });
  });
}
