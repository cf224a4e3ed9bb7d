/** Requests in flight. Counted, not held: see `TransientMap`. */
export class OpenRequests {
  private count = 0;
  private waiters: (() => void)[] = [];

  async track(request: Promise<void>): Promise<void> {
    this.count++;
    try {
      await request;
    } finally {
      this.count--;
      if (this.count === 0) this.wake();
    }
  }

  /** Resolves when none is left, later ones included. */
  async over(): Promise<void> {
    while (this.count > 0) await new Promise<void>((resolve) => void this.waiters.push(resolve));
  }

  private wake(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) wake();
  }
}
