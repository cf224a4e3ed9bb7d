import { tooManyRequests } from '../../apimachinery/errors/status-error.ts';

/** What the open watches of one user may be; 0: as many as can be. */
export interface WatchLimits {
  /** `--max-watches-per-user`. */
  readonly watchesMax: number;
  /** `--max-watch-bytes-per-user`: compiled selectors, and events that clients have not taken. */
  readonly bytesMax: number;
}

/** For servers without settings; the same as the options' defaults. */
export const defaultWatchLimits: WatchLimits = { watchesMax: 100_000, bytesMax: 256 * 1024 * 1024 };

/** Seconds after which clients that were refused try again. */
const RETRY_AFTER_SECONDS = 5;

interface Account {
  watches: number;
  bytes: number;
}

/** A place among the watches of a user. */
export interface WatchPlace {
  readonly user: string;
  release(): void;
}

/** Counts the open watches of each user, and the bytes that their selectors take. */
export class UserWatches {
  private readonly accounts = new Map<string, Account>();
  private readonly limits: WatchLimits;

  constructor(limits: WatchLimits) {
    this.limits = limits;
  }

  /** Takes a place, to be released once; throws 429 where the user has too many, or too many bytes of selectors. */
  take(user: string, bytes: number): WatchPlace {
    const { watchesMax, bytesMax } = this.limits;
    const account = this.accounts.get(user) ?? { watches: 0, bytes: 0 };
    if (watchesMax > 0 && account.watches >= watchesMax)
      throw tooManyRequests(
        `the user has ${account.watches} watches open, please try again later`,
        RETRY_AFTER_SECONDS,
      );
    if (bytesMax > 0 && bytes > 0 && account.bytes + bytes > bytesMax)
      throw tooManyRequests(
        "the selectors of the user's watches take too much memory, please try again later",
        RETRY_AFTER_SECONDS,
      );
    account.watches++;
    account.bytes += bytes;
    this.accounts.set(user, account);
    return { user, release: () => this.release(user, account, bytes) };
  }

  /** Bytes that a user may still hold in events on their way. */
  bytesLeft(user: string): number {
    const { bytesMax } = this.limits;
    return bytesMax === 0 ? Number.POSITIVE_INFINITY : bytesMax - (this.accounts.get(user)?.bytes ?? 0);
  }

  private release(user: string, account: Account, bytes: number): void {
    account.watches--;
    account.bytes -= bytes;
    if (account.watches === 0) this.accounts.delete(user);
  }
}
