interface Waiter {
  revision: number;
  resolve: (reached: boolean) => void;
  timer: NodeJS.Timeout;
}

/** Requests that wait for the feed to reach a revision. */
export class RevisionWaiters {
  private waiters: Waiter[] = [];

  /** True once `reached` is called with at least `revision`; false after `timeoutMs`. */
  wait(revision: number, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        resolve,
        timer: setTimeout(() => {
          this.waiters = this.waiters.filter((w) => w !== waiter);
          resolve(false);
        }, timeoutMs),
      };
      this.waiters.push(waiter);
    });
  }

  /** The feed goes no further: false for all. */
  abandon(): void {
    for (const { timer, resolve } of this.waiters.splice(0)) {
      clearTimeout(timer);
      resolve(false);
    }
  }

  reached(revision: number): void {
    if (this.waiters.length === 0) return;
    const rest: Waiter[] = [];
    for (const waiter of this.waiters) {
      if (waiter.revision > revision) rest.push(waiter);
      else {
        clearTimeout(waiter.timer);
        waiter.resolve(true);
      }
    }
    this.waiters = rest;
  }
}
