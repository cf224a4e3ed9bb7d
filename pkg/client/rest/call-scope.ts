import { onAbort } from '../../apimachinery/on-abort.ts';
import { ConnectionError } from './client.ts';

/** What may end one call: its caller's signal, or the time that it may take. */
export class CallScope {
  private readonly controller = new AbortController();
  private readonly caller: AbortSignal | undefined;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly forget: (() => void) | undefined;

  constructor(caller: AbortSignal | undefined, timeoutMs: number) {
    this.caller = caller;
    if (caller !== undefined) {
      caller.throwIfAborted();
      this.forget = onAbort(caller, () => this.controller.abort(caller.reason));
    }
    if (timeoutMs > 0) {
      const timedOut = (): void => this.controller.abort(new ConnectionError(`no answer within ${timeoutMs} ms`));
      this.timer = setTimeout(timedOut, timeoutMs);
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The caller ended it, not the time. */
  get isEndedByCaller(): boolean {
    return this.caller?.aborted === true;
  }

  /** The time counts no more: the rest of the answer lasts as long as it lasts. */
  stopTimer(): void {
    clearTimeout(this.timer);
  }

  end(): void {
    clearTimeout(this.timer);
    this.forget?.();
  }
}
