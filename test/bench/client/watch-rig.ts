import { configMapsPath } from '../workload/names.ts';
import { expectStatus } from './expect-status.ts';
import { HttpConnection, type Endpoint } from './http-connection.ts';
import type { Meter } from './meter.ts';

const LF = 0x0a;
const CLOSING_BRACE = 0x7d;
const openAtOnce = 32;

/**
 * Many watchers of one collection in one process. Events are not parsed: each ends in a brace and a line feed, which
 * chunk framing never does, and since a watch has no gaps, the n-th event of a watcher is the n-th update. Its latency
 * counts from when that update was sent.
 */
export class WatchRig {
  private readonly connections: HttpConnection[] = [];
  private readonly meter: Meter;
  /** When update n was sent, by performance.now(). */
  private readonly sentAt: number[] = [];
  /** How many watchers have seen update n. */
  private readonly seenBy: number[] = [];
  private delivered = 0;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;

  private constructor(meter: Meter) {
    this.meter = meter;
  }

  /** Opens the watches at the collection's present version, a few at a time; rejects when one is refused. */
  static async open(endpoint: Endpoint, watchers: number, meter: Meter): Promise<WatchRig> {
    const rig = new WatchRig(meter);
    try {
      const path = `${configMapsPath()}?watch=true&resourceVersion=${await presentVersion(endpoint)}`;
      let next = 0;
      await Promise.all(
        Array.from({ length: Math.min(openAtOnce, watchers) }, async () => {
          while (next++ < watchers) await rig.addWatcher(endpoint, path);
        }),
      );
    } catch (error) {
      rig.close();
      throw error;
    }
    return rig;
  }

  private async addWatcher(endpoint: Endpoint, path: string): Promise<void> {
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
        this.see(seen++, now, bytes);
        bytes = 0;
      }
      endsInBrace = piece[end - 1] === CLOSING_BRACE;
    });
    expectStatus(answer, 200, 'watch');
  }

  private see(update: number, now: number, bytes: number): void {
    if (update >= this.sentAt.length) return this.fail(new Error('a watch got more events than there were updates'));
    this.meter.record(now - this.sentAt[update]!, bytes);
    const seen = this.seenBy[update]! + 1;
    this.seenBy[update] = seen;
    if (seen < this.connections.length) return;
    this.delivered = update + 1;
    this.notify();
  }

  /** Tells that an update is about to be sent. */
  sending(): void {
    this.sentAt.push(performance.now());
    this.seenBy.push(0);
  }

  get sent(): number {
    return this.sentAt.length;
  }

  /**
   * Resolves once at most `ahead` updates have not reached every watcher; rejects when a watch breaks. One caller at a
   * time.
   */
  async until(ahead: number): Promise<void> {
    while (this.sent - this.delivered > ahead && this.failure === undefined)
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

async function presentVersion(endpoint: Endpoint): Promise<string> {
  const connection = await HttpConnection.open(endpoint);
  try {
    const { body } = expectStatus(
      await connection.request('GET', configMapsPath(), '', '', true),
      200,
      'list config maps',
    );
    return (JSON.parse(body ?? '') as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
  } finally {
    connection.close();
  }
}
