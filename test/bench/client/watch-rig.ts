import { expectStatus } from './expect-status.ts';
import { HttpConnection, type Endpoint } from './http-connection.ts';
import type { Meter } from './meter.ts';

const LF = 0x0a;
const CLOSING_BRACE = 0x7d;
const openAtOnce = 32;

/** So many watches of one path. */
export interface Watches {
  readonly path: string;
  readonly count: number;
}

interface Topic {
  readonly watchers: number;
  /** When update n was sent, by performance.now(). */
  readonly sentAt: number[];
  /** How many watchers have seen update n. */
  readonly seenBy: number[];
}

/**
 * Many watchers in one process. Events are not parsed: each ends in a brace and a line feed, which
 * chunk framing never does, and since a watch has no gaps, the n-th event of a watcher is the n-th update. Its latency
 * counts from when that update was sent.
 */
export class WatchRig {
  private readonly connections: HttpConnection[] = [];
  private readonly meter: Meter;
  /** By what is watched. */
  private readonly topics: Topic[] = [];
  /** Updates that some watcher has yet to see. */
  private underWay = 0;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;

  private constructor(meter: Meter) {
    this.meter = meter;
  }

  /** Opens the watches, a few at a time; rejects when one is refused. Watches of one path see the same updates. */
  static async open(endpoint: Endpoint, watches: readonly Watches[], meter: Meter): Promise<WatchRig> {
    const rig = new WatchRig(meter);
    try {
      const paths = watches.flatMap(({ path, count }) => {
        const topic: Topic = { watchers: count, sentAt: [], seenBy: [] };
        rig.topics.push(topic);
        return Array.from({ length: count }, () => ({ topic, path }));
      });
      let next = 0;
      const opener = async (): Promise<void> => {
        for (let each = paths[next++]; each !== undefined; each = paths[next++])
          await rig.addWatcher(endpoint, each.path, each.topic);
      };
      await Promise.all(Array.from({ length: Math.min(openAtOnce, paths.length) }, opener));
    } catch (error) {
      rig.close();
      throw error;
    }
    return rig;
  }

  private async addWatcher(endpoint: Endpoint, path: string, topic: Topic): Promise<void> {
    const connection = await HttpConnection.open(endpoint);
    this.connections.push(connection);
    connection.onLost = (error) => this.fail(new Error('a watch ended', { cause: error }));
    let seen = 0;
    let endsInBrace = false;
    let bytes = 0;
    const answer = await connection.stream(path, (piece, start, end) => {
      const now = performance.now();
      bytes += end - start;
      for (let at = piece.indexOf(LF, start); at >= 0 && at < end; at = piece.indexOf(LF, at + 1)) {
        if (at > start ? piece[at - 1] !== CLOSING_BRACE : !endsInBrace) continue;
        this.see(topic, seen++, now, bytes);
        bytes = 0;
      }
      endsInBrace = piece[end - 1] === CLOSING_BRACE;
    });
    expectStatus(answer, 200, 'watch');
  }

  private see(topic: Topic, update: number, now: number, bytes: number): void {
    if (update >= topic.sentAt.length) return this.fail(new Error('a watch got more events than there were updates'));
    this.meter.record(now - topic.sentAt[update]!, bytes);
    const seen = topic.seenBy[update]! + 1;
    topic.seenBy[update] = seen;
    if (seen < topic.watchers) return;
    this.underWay--;
    this.notify();
  }

  /** Tells that an update of what the n-th watches follow is about to be sent. */
  sending(watches: number): void {
    const topic = this.topics[watches]!;
    topic.sentAt.push(performance.now());
    topic.seenBy.push(0);
    this.underWay++;
  }

  /**
   * Resolves once at most `ahead` updates have not reached every watcher; rejects when a watch breaks. One caller at a
   * time.
   */
  async until(ahead: number): Promise<void> {
    while (this.underWay > ahead && this.failure === undefined)
      await new Promise<void>((resolve) => (this.wake = resolve));
    this.throwIfFailed();
  }

  throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** Ends the measurement, also when it is an update that failed. */
  fail(error: Error): void {
    this.failure ??= error;
    this.notify();
  }

  private notify(): void {
    this.wake?.();
    this.wake = undefined;
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }
}

/** The collection's present version, to watch from. */
export async function presentVersion(endpoint: Endpoint, path: string): Promise<string> {
  const connection = await HttpConnection.open(endpoint);
  try {
    const { body } = expectStatus(
      await connection.request('GET', `${path}?limit=1`, '', '', true),
      200,
      `list ${path}`,
    );
    return (JSON.parse(body ?? '') as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
  } finally {
    connection.close();
  }
}
