import type { PriorityLevelConfiguration } from '../../generated/types/flowcontrol-v1.ts';
import { QueueSet, type Clock, type QueueSetObserver, type QueueSetShape } from './queue-set.ts';
import { SeatDemand } from './seat-demand.ts';
import { nominalSeats, type SeatClaim } from './seat-limits.ts';

const SHARES_DEFAULT = 30;
const noQueues: QueueSetShape = { queues: 0, handSize: 1, queueLengthLimit: 0 };

/** A priority level in use: its seats, its queues, and what it lends and borrows. */
export class PriorityLevel {
  readonly name: string;
  readonly set: QueueSet;
  readonly demand: SeatDemand;
  uid = '';
  /** Its requests never wait. */
  isExempt = false;
  /** Its object is deleted; it ends with the last of its requests. */
  isQuiescing = false;
  shares = 0;
  nominal = 0;
  min = 0;
  max = 0;
  private lendablePercent = 0;
  private borrowingPercent: number | undefined;

  constructor(name: string, clock: Clock, observer: QueueSetObserver) {
    this.name = name;
    this.set = new QueueSet(name, clock, observer);
    this.demand = new SeatDemand(clock());
  }

  configure({ metadata, spec }: PriorityLevelConfiguration): void {
    this.uid = metadata.uid ?? '';
    this.isExempt = spec.type === 'Exempt';
    this.isQuiescing = false;
    const { exempt, limited } = spec;
    this.shares = this.isExempt
      ? (exempt?.nominalConcurrencyShares ?? 0)
      : (limited?.nominalConcurrencyShares ?? SHARES_DEFAULT);
    this.lendablePercent = (this.isExempt ? exempt?.lendablePercent : limited?.lendablePercent) ?? 0;
    this.borrowingPercent = limited?.borrowingLimitPercent;
    const queuing = limited?.limitResponse.type === 'Queue' ? limited.limitResponse.queuing : undefined;
    this.set.configure(
      queuing === undefined
        ? noQueues
        : {
            queues: queuing.queues ?? 64,
            handSize: queuing.handSize ?? 8,
            queueLengthLimit: queuing.queueLengthLimit ?? 50,
          },
    );
  }

  /** Computes its bounds from the total of all levels. */
  reckon(total: number, allShares: number): void {
    this.nominal = nominalSeats(total, this.shares, allShares);
    this.min = this.nominal - Math.round((this.nominal * this.lendablePercent) / 100);
    this.max =
      this.borrowingPercent === undefined
        ? total
        : this.nominal + Math.round((this.nominal * this.borrowingPercent) / 100);
  }

  /** Its part in the next adjustment. Seats in use are not given away at once. */
  claim(): SeatClaim {
    const { nominal, demand } = this;
    const min = Math.max(this.min, Math.min(nominal, demand.peak));
    return { nominal, min, max: Math.max(min, this.max), target: Math.max(min, demand.smoothed ?? nominal) };
  }
}
