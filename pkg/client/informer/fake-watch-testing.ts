import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Selection, Watch, WatchEvent } from '../rest/client.ts';

/** For tests: a watch whose events are pushed. */
export class FakeWatch<T extends ApiObject> implements Watch<T> {
  readonly selection: Selection;
  private readonly events: WatchEvent<T>[] = [];
  private readonly onEnd: (watch: FakeWatch<T>) => void;
  private end: { readonly error: unknown } | undefined;
  private wake: (() => void) | undefined;

  constructor(selection: Selection, signal: AbortSignal | undefined, onEnd: (watch: FakeWatch<T>) => void) {
    this.selection = selection;
    this.onEnd = onEnd;
    signal?.addEventListener('abort', () => this.finish(), { once: true });
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
