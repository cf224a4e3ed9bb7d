import type { RequestInfo } from '../request/request-info.ts';
import { isReadOnly } from '../request/request-kind.ts';
import { dealHand } from './shuffle-shard.ts';
import { type WorkEstimate, widthOf } from './work.ts';

/** Assumed duration of a request until it has ended, seconds. */
const ASSUMED_SECONDS = 0.003;
export type RejectReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** Queues of one priority level. `queues` 0: no queues; a request without a seat is refused. */
export interface QueueSetShape {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** Seconds of a monotonic clock. */
export type Clock = () => number;

export interface QueueSetObserver {
  /** After each change of queued and executing requests. */
  changed(set: QueueSet): void;
}

/**
 * Requests that are treated as one: of one schema, and of one user or namespace where the schema separates these.
 * Caches its queues.
 */
export class Flow {
  readonly schema: string;
  readonly distinguisher: string;
  private hand: readonly number[] = [];
  /** The flow of the hand. */
  private dealtFor: QueueSetShape | undefined;

  constructor(schema: string, distinguisher: string) {
    this.schema = schema;
    this.distinguisher = distinguisher;
  }

  /** Indexes of the queues that it may use. */
  handOf(shape: QueueSetShape): readonly number[] {
    if (this.dealtFor !== shape) {
      this.hand = dealHand(`${this.schema}\n${this.distinguisher}`, shape.queues, shape.handSize);
      this.dealtFor = shape;
    }
    return this.hand;
  }
}

/** A request for seats: it is queued, has them, or is over. */
export class QueuedRequest {
  readonly flow: Flow;
  readonly work: WorkEstimate;
  readonly width: number;
  /** When it arrived. */
  arrivedAt = 0;
  /** Of a debug page. */
  readonly details: unknown;
  readonly isWatch: boolean;
  readonly kind: 'readOnly' | 'mutating';
  queue: FairQueue | undefined;
  /** Its index among the executing ones of its queue. */
  place = 0;
  /** Virtual time of its arrival. */
  arrivedR = 0;
  /** Undefined while it is queued. */
  startedAt: number | undefined;
  /** Called once: with undefined when it may run. */
  decide: ((refused: RejectReason | undefined) => void) | undefined;

  constructor(flow: Flow, work: WorkEstimate, details?: unknown, info?: RequestInfo) {
    this.flow = flow;
    this.work = work;
    this.width = widthOf(work);
    this.details = details;
    this.isWatch = info?.verb === 'watch';
    this.kind = info === undefined || isReadOnly(info) ? 'readOnly' : 'mutating';
  }

  /** Seat-seconds, if its first phase takes this long. */
  seatSeconds(seconds: number): number {
    return this.work.seats * seconds + this.work.finalSeats * this.work.finalSeconds;
  }
}

class FairQueue {
  readonly index: number;
  readonly waiting = new Set<QueuedRequest>();
  /** In no order. Not a set: see `TransientMap`. */
  readonly executing: QueuedRequest[] = [];
  /** Virtual time at which the service of its next request begins. */
  nextR = 0;
  seatsInUse = 0;
  waitingSeats = 0;
  waitingSeatSeconds = 0;
  /** Of the first phases in flight: their seats, and these times when they started. */
  private runningSeats = 0;
  private runningSince = 0;

  constructor(index: number) {
    this.index = index;
  }

  get isActive(): boolean {
    return this.waiting.size > 0 || this.executing.length > 0;
  }

  began(request: QueuedRequest): void {
    const { seats } = request.work;
    request.place = this.executing.push(request) - 1;
    this.runningSeats += seats;
    this.runningSince += seats * request.startedAt!;
  }

  ended({ work: { seats }, startedAt, place }: QueuedRequest): void {
    const last = this.executing.pop()!;
    if (place < this.executing.length) {
      this.executing[place] = last;
      last.place = place;
    }
    this.runningSeats -= seats;
    this.runningSince -= seats * startedAt!;
  }

  /** Seat-seconds of running requests beyond the assumed ones: charged when they end. */
  owed(now: number): number {
    return Math.max(0, this.runningSeats * (now - ASSUMED_SECONDS) - this.runningSince);
  }

  get isUnused(): boolean {
    return !this.isActive && this.seatsInUse === 0;
  }
}

/**
 * Gives the seats of one priority level to its requests so that flows get equal shares of them: fair queuing in virtual
 * time, each queue for the flows that were dealt it. Virtual time `r` advances at the rate at which every active
 * queue is served; the queue whose next request would be over first is served first, and is charged the seat-seconds
 * that the request really took.
 *
 * Invariants: `seatsInUse` is the sum of the widths of requests that have started and not ended (with their second
 * phase); no request waits while seats are free, except one that needs more of them than are free, which none
 * overtakes; a request wider than the limit runs alone.
 */
export class QueueSet {
  readonly name: string;
  private readonly clock: Clock;
  private readonly observer: QueueSetObserver;
  private shape: QueueSetShape = { queues: 0, handSize: 1, queueLengthLimit: 0 };
  private limit = 0;
  readonly queues: FairQueue[] = [];
  /** For requests without a queue. */
  private readonly queueless = new FairQueue(-1);
  private r = 0;
  /** The time of the last event: each reads the clock once. */
  private rAt: number;
  private robin = 0;
  private activeQueues = 0;
  seatsInUse = 0;
  executing = 0;
  waiting = 0;
  waitingSeats = 0;

  constructor(name: string, clock: Clock, observer: QueueSetObserver) {
    this.name = name;
    this.clock = clock;
    this.observer = observer;
    this.rAt = clock();
  }

  /** Requests in removed queues stay in them until they are served. */
  configure(shape: QueueSetShape): void {
    this.shape = shape;
    while (this.queues.length < shape.queues) this.queues.push(new FairQueue(this.queues.length));
    this.dropQueues();
  }

  /** The number of seats. Seats in use stay with their requests. */
  setLimit(seats: number): void {
    this.advance();
    this.limit = seats;
    this.dispatch();
  }

  get seatLimit(): number {
    return this.limit;
  }

  /** Requests that may be queued. */
  get waitingMax(): number {
    return this.shape.queues * this.shape.queueLengthLimit;
  }

  /** When the last event was. */
  get lastAt(): number {
    return this.rAt;
  }

  get virtualTime(): number {
    this.advance();
    return this.r;
  }

  get activeQueueCount(): number {
    return this.activeQueues;
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.executing === 0 && this.seatsInUse === 0;
  }

  /** Every queued or executing request. */
  *requests(): Generator<readonly [queue: FairQueue, request: QueuedRequest]> {
    for (const queue of [...this.queues, this.queueless]) {
      for (const request of queue.waiting) yield [queue, request];
      for (const request of queue.executing) yield [queue, request];
    }
  }

  /** Starts the request, refuses it, or queues it: then `decide` is called later, and undefined returned. */
  ask(
    request: QueuedRequest,
    decide: (refused: RejectReason | undefined) => void,
  ): 'started' | RejectReason | undefined {
    this.advance();
    request.arrivedAt = this.rAt;
    if (this.shape.queues === 0) return this.askWithoutQueue(request);
    const queue = this.queueFor(request.flow);
    if (this.seatsInUse >= this.limit && queue.waiting.size >= this.shape.queueLengthLimit) return 'queue-full';
    request.queue = queue;
    request.arrivedR = this.r;
    if (!queue.isActive) {
      queue.nextR = this.r;
      this.activeQueues++;
    }
    if (this.waiting === 0 && this.hasRoomFor(request.width)) {
      this.start(queue, request);
      this.observer.changed(this);
      return 'started';
    }
    this.addWaiting(queue, request);
    this.dispatch();
    if (request.startedAt !== undefined) return 'started';
    request.decide = decide;
    return undefined;
  }

  private askWithoutQueue(request: QueuedRequest): 'started' | RejectReason {
    if (!this.hasRoomFor(request.width)) return 'concurrency-limit';
    request.queue = this.queueless;
    if (!this.queueless.isActive) this.activeQueues++;
    this.start(this.queueless, request);
    this.observer.changed(this);
    return 'started';
  }

  /** Removes a queued request, with the reason; does nothing for one that is not queued any more. */
  remove(request: QueuedRequest, reason: RejectReason): void {
    const { queue } = request;
    if (queue === undefined || !queue.waiting.has(request)) return;
    this.advance();
    this.takeWaiting(queue, request);
    this.leaveQueue(queue);
    request.decide?.(reason);
    // It may be the wide one that the others waited for.
    this.dispatch();
  }

  /**
   * The first phase of a request is over; its second takes its seats for the estimated time. `later` runs a function
   * after a number of seconds.
   */
  finish(request: QueuedRequest, later: (run: () => void, seconds: number) => void): void {
    this.advance();
    const queue = request.queue!;
    const { finalSeats, finalSeconds } = request.work;
    const seconds = this.rAt - request.startedAt!;
    // It was charged the assumed time.
    queue.nextR -= request.seatSeconds(ASSUMED_SECONDS) - request.seatSeconds(seconds);
    queue.ended(request);
    this.executing--;
    if (finalSeats === 0 || finalSeconds === 0) this.release(queue, request.width);
    else {
      this.release(queue, request.width - finalSeats);
      later(() => {
        this.advance();
        this.release(queue, finalSeats);
        this.dropQueues();
        this.dispatch();
      }, finalSeconds);
    }
    this.leaveQueue(queue);
    this.dispatch();
  }

  private release(queue: FairQueue, seats: number): void {
    queue.seatsInUse -= seats;
    this.seatsInUse -= seats;
  }

  private leaveQueue(queue: FairQueue): void {
    if (queue.isActive) return;
    this.activeQueues--;
    this.dropQueues();
  }

  /** The last ones, when there are too many and they are empty. */
  private dropQueues(): void {
    while (this.queues.length > this.shape.queues && this.queues.at(-1)!.isUnused) this.queues.pop();
  }

  private addWaiting(queue: FairQueue, request: QueuedRequest): void {
    queue.waiting.add(request);
    queue.waitingSeats += request.width;
    queue.waitingSeatSeconds += request.seatSeconds(ASSUMED_SECONDS);
    this.waiting++;
    this.waitingSeats += request.width;
  }

  private takeWaiting(queue: FairQueue, request: QueuedRequest): void {
    queue.waiting.delete(request);
    queue.waitingSeats -= request.width;
    queue.waitingSeatSeconds -= request.seatSeconds(ASSUMED_SECONDS);
    this.waiting--;
    this.waitingSeats -= request.width;
  }

  /** The one of the flow's hand with the least work before it. */
  private queueFor(flow: Flow): FairQueue {
    let best: FairQueue | undefined;
    let least = Infinity;
    for (const index of flow.handOf(this.shape)) {
      const queue = this.queues[index]!;
      const work = queue.waitingSeatSeconds + queue.seatsInUse * ASSUMED_SECONDS;
      if (work >= least) continue;
      best = queue;
      least = work;
    }
    return best!;
  }

  /** Virtual time advances by the seats in service for each active queue. */
  private advance(): void {
    const now = this.clock();
    const elapsed = now - this.rAt;
    this.rAt = now;
    if (this.activeQueues === 0) return;
    this.r += (elapsed * Math.min(this.seatsInUse + this.waitingSeats, this.limit)) / this.activeQueues;
  }

  private dispatch(): void {
    while (this.waiting > 0 && this.seatsInUse < this.limit) {
      const queue = this.nextQueue();
      const [request] = queue.waiting;
      if (!this.hasRoomFor(request!.width)) break;
      this.takeWaiting(queue, request!);
      this.start(queue, request!);
      request!.decide?.(undefined);
    }
    this.observer.changed(this);
  }

  /**
   * The queue whose first request would be over first, from the one behind the last served on if several would. At
   * least one request is queued.
   */
  private nextQueue(): FairQueue {
    const { queues } = this;
    let best: FairQueue | undefined;
    let soonest = Infinity;
    for (let i = 1; i <= queues.length; i++) {
      const queue = queues[(this.robin + i) % queues.length]!;
      const [first] = queue.waiting;
      if (first === undefined) continue;
      const overR = Math.max(queue.nextR + queue.owed(this.rAt), first.arrivedR) + first.seatSeconds(ASSUMED_SECONDS);
      if (overR >= soonest) continue;
      best = queue;
      soonest = overR;
    }
    this.robin = best!.index % queues.length;
    return best!;
  }

  /** A request wider than all seats would wait forever: it gets all of them. */
  private hasRoomFor(width: number): boolean {
    return this.seatsInUse + width <= this.limit || (width > this.limit && this.seatsInUse === 0 && this.limit > 0);
  }

  private start(queue: FairQueue, request: QueuedRequest): void {
    request.startedAt = this.rAt;
    queue.nextR = Math.max(queue.nextR, request.arrivedR) + request.seatSeconds(ASSUMED_SECONDS);
    queue.began(request);
    queue.seatsInUse += request.width;
    this.seatsInUse += request.width;
    this.executing++;
  }
}
