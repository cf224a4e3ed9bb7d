/** Something that is written to in one go. */
export interface Deliverable {
  /** How many sockets a delivery writes to. */
  readonly size: number;
  deliver(): void;
}

/** Sockets written to in one turn of the event loop, so that requests get in between: one or two milliseconds. */
const SOCKETS_PER_TURN = 64;

/**
 * All lanes of a cacher take turns in writing, first come, first served. What waits for its turn gathers events
 * meanwhile.
 */
export class DeliveryTurns {
  private waiting: Deliverable[] = [];
  private scheduled = false;

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
