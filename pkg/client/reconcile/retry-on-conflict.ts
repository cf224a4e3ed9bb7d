import { sleep, systemClock, type Clock } from '../../apimachinery/clock.ts';
import { isConflict } from '../../apimachinery/errors/status-error.ts';

export interface ConflictRetryOptions {
  /** How often the update is tried in all. Default 5. */
  readonly attempts?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly signal?: AbortSignal;
}

const ATTEMPTS = 5;
const WAIT_MS = 10;
/** Waits are lengthened by chance up to this share, so that two writers do not meet again. */
const JITTER = 0.1;

/**
 * Runs an update again while it meets a conflict. The update reads the object each time and changes what it read:
 * repeating it with the old object would conflict again. Rejects with the last conflict, or any other failure at once.
 */
export async function retryOnConflict<T>(update: () => Promise<T>, options: ConflictRetryOptions = {}): Promise<T> {
  const { attempts = ATTEMPTS, clock = systemClock, random = Math.random, signal } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await update();
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
      await sleep(clock, WAIT_MS * (1 + JITTER * random()), signal);
      signal?.throwIfAborted();
    }
  }
}
