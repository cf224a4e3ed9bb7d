/** Something that is written to in one step. */
export interface Deliverable {
  /** How many sockets a delivery writes to. */
  readonly size: number;
  deliver(): void;
}

/** Sockets written to in one turn of the event loop, so that requests run in between: one or two milliseconds. */
const SOCKETS_PER_TURN = 64;

/** Below the first share of busy time nothing is gathered; from the second on the maximum. */
const IDLE_SHARE = 0.7;
const BUSY_SHARE = 0.9;
/** How long the event loop is observed for one reading of its load. */
const READING_MS = 50;

/** Share of the last readings that the event loop was busy, 0 to 1. */
function loopLoad(): () => number {
  let last = performance.eventLoopUtilization();
  let readAtMs = performance.now();
  let share = 0;
  return () => {
    const now = performance.now();
    if (now - readAtMs < READING_MS) return share;
    const current = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(current, last).utilization;
    last = current;
    readAtMs = now;
    return share;
  };
}

/**
 * All lanes of a cacher take turns in writing, first come, first served. A lane that waits for its turn gathers events.
 */
export class DeliveryTurns {
  private waiting: Deliverable[] = [];
  private scheduled = false;
  private readonly load: () => number;

  /** `load` is the share of time that the event loop is busy; only tests replace it. */
  constructor(load: () => number = loopLoad()) {
    this.load = load;
  }

  /** How much lanes should gather before they are written to: 0 while the event loop is idle, 1 under full load. */
  get gathering(): number {
    return Math.min(1, Math.max(0, (this.load() - IDLE_SHARE) / (BUSY_SHARE - IDLE_SHARE)));
  }

  /** Delivers after at least `waitMs`; each request is one delivery. */
  request(lane: Deliverable, waitMs: number): void {
    if (waitMs >= 1) setTimeout(() => this.enqueue(lane), waitMs);
    else this.enqueue(lane);
  }

  private enqueue(lane: Deliverable): void {
    this.waiting.push(lane);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.turn());
  }

  private turn(): void {
    let lanes = 0;
    for (let sockets = 0; lanes < this.waiting.length && sockets < SOCKETS_PER_TURN; lanes++) {
      const lane = this.waiting[lanes]!;
      sockets += lane.size;
      lane.deliver();
    }
    this.waiting = this.waiting.slice(lanes);
    this.scheduled = false;
    if (this.waiting.length > 0) this.schedule();
  }
}
