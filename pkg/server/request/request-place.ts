import type { UnreadAnswers } from '../flow-control/unread-answers.ts';
import type { RequestContext } from './request-context.ts';

/**
 * The place of a request among those that are served at once: seats of its priority level, or one of the in-flight
 * limit. One object for each request, without closures: every request has one.
 */
export abstract class RequestPlace {
  protected readonly context: RequestContext;
  private readonly unread: UnreadAnswers;
  private hasLeft = false;

  constructor(context: RequestContext, unread: UnreadAnswers) {
    this.context = context;
    this.unread = unread;
  }

  /** Releases the place. Further calls have no effect until it is taken again. */
  abstract giveBack(): void;

  /** Rejects with 429 where there is none. */
  protected abstract take(): Promise<void>;

  /** It gave its place back before its end. */
  get isVacant(): boolean {
    return this.hasLeft;
  }

  /**
   * The request continues without its place: it waits for its client, with this many bytes of its answer, which count
   * until they are sent.
   */
  leave(unreadBytes: number): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.giveBack();
    if (unreadBytes > 0) this.context.exchange.onClose(this.unread.add(this.context.user.name, unreadBytes));
  }

  /** Takes a place again, like a new request. Rejects with 429 where there is none. */
  async takeAgain(): Promise<void> {
    await this.take();
    this.hasLeft = false;
  }
}
