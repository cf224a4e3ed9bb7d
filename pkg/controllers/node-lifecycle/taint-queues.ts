import type { Clock } from '../../apimachinery/clock.ts';
import { TokenBucket } from '../../apimachinery/collections/token-bucket.ts';

/** The nodes of one zone that are to get a NoExecute taint, at a bounded rate. */
class TaintQueue {
  /** Nodes that wait, and those that had their turn and are not known to be well again. */
  readonly known = new Set<string>();
  private readonly clock: Clock;
  private waiting: string[] = [];
  private bucket: TokenBucket | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** `perSecond` of 0: nobody gets a turn. */
  setRate(perSecond: number): void {
    this.bucket = perSecond > 0 ? new TokenBucket({ burst: 1, perSecond }, () => this.clock.steadyMs()) : undefined;
  }

  put(node: string): void {
    this.known.add(node);
    this.waiting.push(node);
  }

  remove(node: string): void {
    if (this.known.delete(node)) this.waiting = this.waiting.filter((name) => name !== node);
  }

  next(): string | number | undefined {
    if (this.waiting.length === 0 || this.bucket === undefined) return undefined;
    const waitMs = this.bucket.take();
    return waitMs > 0 ? waitMs : this.waiting.shift();
  }
}

/**
 * Nodes that wait for their NoExecute taint, by zone, so that the pods of a zone that fails are not all evicted at
 * once. A node gets one turn until it is removed.
 */
export class TaintQueues {
  private readonly clock: Clock;
  private readonly ready: (zone: string) => void;
  private readonly zones = new Map<string, TaintQueue>();

  /** `ready` is called when somebody may have a turn in a zone. */
  constructor(clock: Clock, ready: (zone: string) => void) {
    this.clock = clock;
    this.ready = ready;
  }

  /** Zones that nothing is known of yet start at this rate. */
  open(zone: string, perSecond: number): void {
    if (!this.zones.has(zone)) this.setRate(zone, perSecond);
  }

  setRate(zone: string, perSecond: number): void {
    this.queue(zone).setRate(perSecond);
    this.ready(zone);
  }

  /** Nothing happens where the node waits already, or had its turn; `again`: it gets another. */
  add(zone: string, node: string, again: boolean): void {
    const queue = this.queue(zone);
    if (again) queue.remove(node);
    if (queue.known.has(node)) return;
    queue.put(node);
    this.ready(zone);
  }

  remove(node: string): void {
    for (const queue of this.zones.values()) queue.remove(node);
  }

  /** The node whose turn it is; milliseconds until the next one's; undefined: nobody's. */
  next(zone: string): string | number | undefined {
    return this.zones.get(zone)?.next();
  }

  private queue(zone: string): TaintQueue {
    let queue = this.zones.get(zone);
    if (queue === undefined) this.zones.set(zone, (queue = new TaintQueue(this.clock)));
    return queue;
  }
}
