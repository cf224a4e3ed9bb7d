import type { DeliveryTurns } from './delivery-turns.ts';
import { FrameBatch, type Frame } from './frame-batch.ts';
import type { WatchSink } from './watch-group.ts';

/** The most watchers of a lane. */
export const LANE_SINKS_MAX = 64;

interface Member {
  readonly sink: WatchSink;
  /** How many of the pending frames came before it joined. */
  skips: number;
}

export interface LaneOptions {
  readonly turns: DeliveryTurns;
  /** A sink with more unsent bytes is ended. */
  readonly bufferedBytesMax: number;
  /** Time between two deliveries, milliseconds. */
  readonly intervalMs: () => number;
}

/**
 * A part of a group's watchers, written to in one turn: each socket gets all frames since the lane's last delivery in
 * one write. The lanes of a group deliver independently, so that an event waits for its lane's turn only, not for a
 * pass over the whole group.
 */
export class WatchLane {
  private readonly options: LaneOptions;
  private members: Member[] = [];
  private pending: Frame[] = [];
  private deliveredAtMs = 0;
  /** Time that the last delivery took. */
  tookMs = 0;

  constructor(options: LaneOptions) {
    this.options = options;
  }

  get size(): number {
    return this.members.length;
  }

  /** Every frame so far has been written. */
  get settled(): boolean {
    return this.pending.length === 0;
  }

  /** The sink gets every frame pushed from now on. */
  join(sink: WatchSink): void {
    this.members.push({ sink, skips: this.pending.length });
  }

  leave(sink: WatchSink): void {
    this.members = this.members.filter((member) => member.sink !== sink);
  }

  push(frame: Frame): void {
    this.pending.push(frame);
    if (this.pending.length === 1)
      this.options.turns.request(this, this.deliveredAtMs + this.options.intervalMs() - performance.now());
  }

  deliver(): void {
    const frames = this.pending;
    this.pending = [];
    const startedAtMs = performance.now();
    const batch = new FrameBatch(frames);
    for (const member of this.members) {
      const { sink, skips } = member;
      member.skips = 0;
      if (skips === 0) this.write(sink, batch);
      else if (skips < frames.length) this.write(sink, new FrameBatch(frames.slice(skips)));
    }
    this.deliveredAtMs = startedAtMs;
    this.tookMs = performance.now() - startedAtMs;
  }

  private write(sink: WatchSink, batch: FrameBatch): void {
    if (sink.closed) return this.leave(sink);
    if (sink.bufferedBytes <= this.options.bufferedBytesMax) return sink.write(batch);
    this.leave(sink);
    sink.end();
  }

  endAll(): void {
    const members = this.members;
    this.members = [];
    for (const { sink } of members) sink.end();
  }
}
