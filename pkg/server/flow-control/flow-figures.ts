import type { RejectReason } from './queue-set.ts';
import type { WorkEstimate } from './work.ts';

/** Observations of the requests of one flow schema at one priority level. */
export interface FlowObserved {
  enqueued(queueLength: number): void;
  /** A request left the queue, to be executed or not. */
  waited(executed: boolean, seconds: number): void;
  executed(kind: 'regular' | 'watch', seconds: number): void;
  estimated(work: WorkEstimate): void;
}

/** The numbers of one flow schema at one priority level. */
export class FlowFigures {
  readonly schema: string;
  readonly level: string;
  readonly observed: FlowObserved;
  executing = 0;
  executingSeats = 0;
  waiting = 0;
  waitingSeats = 0;
  dispatched = 0;
  readonly rejected = new Map<RejectReason, number>();

  constructor(schema: string, level: string, observed: FlowObserved) {
    this.schema = schema;
    this.level = level;
    this.observed = observed;
  }

  reject(reason: RejectReason): void {
    this.rejected.set(reason, (this.rejected.get(reason) ?? 0) + 1);
  }

  rejectedFor(reason: RejectReason): number {
    return this.rejected.get(reason) ?? 0;
  }
}
