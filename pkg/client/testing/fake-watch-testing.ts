import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Watch, WatchEvent } from '../rest/client.ts';
import type { ObjectChange } from './fake-cluster-testing.ts';

/** For tests: a watch whose events are pushed. */
export class FakeWatch<T extends ApiObject> implements Watch<T> {
  private readonly eventOf: (change: ObjectChange) => WatchEvent<T> | undefined;
  private readonly events: WatchEvent<T>[] = [];
  private readonly onEnd: (watch: FakeWatch<T>) => void;
  private end: { readonly error: unknown } | undefined;
  private wake: (() => void) | undefined;

  constructor(
    eventOf: (change: ObjectChange) => WatchEvent<T> | undefined,
    signal: AbortSignal | undefined,
    onEnd: (watch: FakeWatch<T>) => void,
  ) {
    this.eventOf = eventOf;
    this.onEnd = onEnd;
    if (signal?.aborted === true) this.finish();
    else signal?.addEventListener('abort', () => this.finish(), { once: true });
  }

  /** A change of the cluster, which may be none of the objects that are watched. */
  show(change: ObjectChange): void {
    const event = this.eventOf(change);
    if (event !== undefined) this.push(event);
  }

  push(event: WatchEvent<T>): void {
    this.events.push(event);
    this.wake?.();
  }

  /** Ends behind what was pushed. */
  finish(error?: unknown): void {
    this.end ??= { error };
    this.onEnd(this);
    this.wake?.();
  }

  get ended(): boolean {
    return this.end !== undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<T>, void> {
    try {
      for (;;) {
        for (let event = this.events.shift(); event !== undefined; event = this.events.shift()) yield event;
        if (this.end !== undefined) break;
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
      if (this.end.error !== undefined) throw this.end.error;
    } finally {
      this.onEnd(this);
    }
  }
}
