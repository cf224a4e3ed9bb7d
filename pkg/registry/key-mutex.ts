import { TransientMap } from '../apimachinery/collections/transient-map.ts';

/**
 * How long others wait at most while the holder of a turn waits for something outside of this process, milliseconds:
 * far above the duration of work inside.
 */
const OTHERS_WAIT_MS_MAX = 20;

/**
 * Serializes holders of the same key, first come, first served. Turns only save conflicts: a caller that needs
 * exclusion must compare what it replaces.
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
  /** Resolves when the next may run. */
  readonly over: Promise<void>;
  private resolve!: () => void;
  private ended = false;

  constructor() {
    this.over = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** The next runs beside the holder, whose wait took too long. */
  get isLost(): boolean {
    return this.ended;
  }

  /**
   * Runs a task that waits for something outside of this process, perhaps for long: then the turn is lost, and the task
   * continues all the same.
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
