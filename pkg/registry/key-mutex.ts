import { TransientMap } from '../apimachinery/collections/transient-map.ts';

/**
 * How long others wait at most while the holder of a turn waits for somebody outside of this process, milliseconds: far
 * above what work inside takes.
 */
const OTHERS_WAIT_MS_MAX = 20;

/**
 * Lets holders of the same key take turns, in the order of their asking. Turns save conflicts; who needs more than that
 * must compare what it replaces.
 */
export class KeyMutex {
  private readonly tails = new TransientMap<Turn>();

  /** Runs `task` when no other task of this key runs, except for those that lost their turn. */
  async run<T>(key: string, task: (turn: Turn) => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    const turn = new Turn();
    this.tails.set(key, turn);
    if (before !== undefined) await before.over;
    try {
      return await task(turn);
    } finally {
      if (this.tails.get(key) === turn) this.tails.delete(key);
      turn.end();
    }
  }
}

/** One holder's time with a key. */
export class Turn {
  /** Resolves when the next may go on. */
  readonly over: Promise<void>;
  private resolve!: () => void;
  private ended = false;

  constructor() {
    this.over = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** The next goes on beside the holder, whose wait took too long. */
  get isLost(): boolean {
    return this.ended;
  }

  /**
   * Runs a task that waits for somebody outside of this process, perhaps for long: then the turn is lost, and the task
   * goes on all the same.
   */
  async yieldAfterWait<T>(task: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.end(), OTHERS_WAIT_MS_MAX);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.ended = true;
    this.resolve();
  }
}
