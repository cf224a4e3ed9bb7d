import type { Clock } from '../../apimachinery/clock.ts';
import { TokenBucket } from '../../apimachinery/collections/token-bucket.ts';

/** The nodes of one zone that are to get a NoExecute taint, at a bounded rate. */
class TaintQueue {
  private readonly clock: Clock;
  private readonly waiting = new Set<string>();
  /** Nodes that are not known to be well again. */
  private readonly hadTurn = new Set<string>();
  private bucket: TokenBucket | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** `perSecond` of 0: no node gets a turn. */
  setRate(perSecond: number): void {
    this.bucket = perSecond > 0 ? new TokenBucket({ burst: 1, perSecond }, () => this.clock.steadyMs()) : undefined;
  }

  /** True: the node waits, and did not before. */
  add(node: string, again: boolean): boolean {
    if (this.waiting.has(node) || (this.hadTurn.has(node) && !again)) return false;
    this.waiting.add(node);
    return true;
  }

  remove(node: string): void {
    this.waiting.delete(node);
    this.hadTurn.delete(node);
  }

  next(needsTurn: (node: string) => boolean): string | number | undefined {
    for (const node of this.waiting) {
      if (this.bucket === undefined) return undefined;
      const waitMs = needsTurn(node) ? this.bucket.take() : undefined;
      if (waitMs !== undefined && waitMs > 0) return waitMs;
      this.waiting.delete(node);
      this.hadTurn.add(node);
      if (waitMs !== undefined) return node;
    }
    return undefined;
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

  /** `ready` is called when a node may have a turn in a zone. */
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
    if (this.queue(zone).add(node, again)) this.ready(zone);
  }

  remove(node: string): void {
    for (const queue of this.zones.values()) queue.remove(node);
  }

  /**
   * The node whose turn it is; milliseconds until the next one's; undefined: there is none. A node that needs no turn
   * any more loses it at no cost.
   */
  next(zone: string, needsTurn: (node: string) => boolean): string | number | undefined {
    return this.zones.get(zone)?.next(needsTurn);
  }

  private queue(zone: string): TaintQueue {
    let queue = this.zones.get(zone);
    if (queue === undefined) this.zones.set(zone, (queue = new TaintQueue(this.clock)));
    return queue;
  }
}
