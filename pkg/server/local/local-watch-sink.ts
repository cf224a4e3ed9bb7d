import type { FrameBatch } from '../../storage/cacher/frame-batch.ts';
import type { WatchSink } from '../../storage/cacher/watch-group.ts';
import { END_GRACE_MS } from '../watches/watch-sink.ts';
import type { LocalFrame } from './local-watch-form.ts';

/**
 * The receiving end of a watch in this process: frames wait here until the consumer takes them. Bounded from outside,
 * as every sink is: the watch's group ends one whose frames are too many bytes.
 */
export class LocalWatchSink implements WatchSink {
  /** Resolves when the consumer has everything, or is gone; some time after the end where it takes nothing. */
  readonly over: Promise<void>;
  bufferedBytes = 0;
  private frames: LocalFrame[] = [];
  /** Frames before this one are taken. */
  private first = 0;
  private ended = false;
  private failure: { readonly reason: unknown } | undefined;
  private finish!: () => void;
  private wake: () => void = () => undefined;
  private onDrained: (() => void)[] = [];
  private graceTimer: NodeJS.Timeout | undefined;

  constructor() {
    this.over = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  get closed(): boolean {
    return this.ended;
  }

  write(batch: FrameBatch): void {
    if (this.ended) return;
    for (const frame of batch.frames as readonly LocalFrame[]) {
      this.frames.push(frame);
      this.bufferedBytes += frame.length;
    }
    this.wake();
  }

  drained(): Promise<void> {
    return this.ended || this.isEmpty ? Promise.resolve() : new Promise((resolve) => void this.onDrained.push(resolve));
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.tellDrained();
    if (this.isEmpty) this.finish();
    else this.graceTimer = setTimeout(() => this.finish(), END_GRACE_MS).unref();
    this.wake();
  }

  /** The consumer gets no more frames; its next call rejects with `reason`. */
  abort(reason: unknown): void {
    this.failure ??= { reason };
    this.discard();
    this.end();
    this.finish();
  }

  /** The next frame, or undefined at the end. One call at a time. */
  async next(): Promise<LocalFrame | undefined> {
    while (this.isEmpty && !this.ended)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    if (this.failure !== undefined) throw this.failure.reason;
    return this.isEmpty ? undefined : this.shift();
  }

  private get isEmpty(): boolean {
    return this.first === this.frames.length;
  }

  private shift(): LocalFrame {
    const frame = this.frames[this.first]!;
    this.first++;
    this.bufferedBytes -= frame.length;
    if (this.isEmpty) {
      this.discard();
      this.tellDrained();
      if (this.ended) {
        clearTimeout(this.graceTimer);
        this.finish();
      }
    }
    return frame;
  }

  private discard(): void {
    this.frames = [];
    this.first = 0;
    this.bufferedBytes = 0;
  }

  private tellDrained(): void {
    const waiting = this.onDrained;
    this.onDrained = [];
    for (const resolve of waiting) resolve();
  }
}
