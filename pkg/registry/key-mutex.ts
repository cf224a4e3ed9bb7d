/** Lets holders of the same key take turns, in the order of their asking. */
export class KeyMutex {
  private readonly tails = new Map<string, Promise<void>>();

  /** Runs `task` when no other task of this key runs. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    let release!: () => void;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.tails.set(key, mine);
    if (before !== undefined) await before;
    try {
      return await task();
    } finally {
      if (this.tails.get(key) === mine) this.tails.delete(key);
      release();
    }
  }
}
