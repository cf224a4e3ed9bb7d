import { tooManyRequests } from '../../apimachinery/errors/status-error.ts';
import type { RequestContext } from '../request/request-context.ts';

const RETRY_AFTER_SECONDS = 1;
/** How many times more of a user's answers may be unread where the next read is of one object. */
const SINGLE_FACTOR = 2;

/** Bytes of answers that wait for their clients. */
export interface UnreadAnswerLimits {
  /** Of all; beyond it users with some get no more. */
  readonly processBytes: number;
  /** Of one user. */
  readonly userBytes: number;
}

const unreadAnswerLimits: UnreadAnswerLimits = {
  processBytes: 1024 * 1024 * 1024,
  userBytes: 256 * 1024 * 1024,
};

/**
 * Bounds the answers that each user leaves unread. Such an answer holds no seat, so that it locks no request out, but
 * keeps its objects in memory: a user with too many gets no other large answer until some are read, or cut off.
 */
export class UnreadAnswers {
  private readonly limits: UnreadAnswerLimits;
  private readonly byUser = new Map<string, number>();
  private all = 0;

  constructor(limits: UnreadAnswerLimits = unreadAnswerLimits) {
    this.limits = limits;
  }

  get bytes(): number {
    return this.all;
  }

  /**
   * Throws 429 for a read of a user with too many bytes; call it before the read has a seat. Single objects are refused
   * much later than lists.
   */
  check({ user, info }: RequestContext): void {
    const own = this.byUser.get(user.name);
    if (own === undefined || (info.verb !== 'list' && info.verb !== 'get')) return;
    const userBytes = info.verb === 'list' ? this.limits.userBytes : this.limits.userBytes * SINGLE_FACTOR;
    if (own >= userBytes || this.all >= this.limits.processBytes)
      throw tooManyRequests('too many answers wait to be read, please try again later', RETRY_AFTER_SECONDS);
  }

  /** Counts an answer until the returned function is called, once. */
  add(user: string, bytes: number): () => void {
    this.count(user, bytes);
    return () => this.count(user, -bytes);
  }

  private count(user: string, bytes: number): void {
    this.all += bytes;
    const own = (this.byUser.get(user) ?? 0) + bytes;
    if (own === 0) this.byUser.delete(user);
    else this.byUser.set(user, own);
  }
}
