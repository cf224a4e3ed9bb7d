import type { UserInfo } from '../../api/resource-definition.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../generated/types/flowcontrol-v1.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { FlowFigures, type FlowObserved } from './flow-figures.ts';
import { distinguish, FlowTable, type CompiledSchema } from './flow-table.ts';
import { PriorityLevel } from './priority-level.ts';
import {
  Flow,
  QueuedRequest,
  type Clock,
  type QueueSet,
  type QueueSetObserver,
  type RejectReason,
} from './queue-set.ts';
import { shareSeats } from './seat-limits.ts';
import type { WorkEstimate } from './work.ts';

/** Cached flows of a schema. */
const FLOWS_MAX = 4096;

/** The classification of a request; the same for all requests of a schema while the configuration stays. */
export interface Classified {
  readonly schema: CompiledSchema;
  readonly level: PriorityLevel;
  readonly figures: FlowFigures;
  /** By flow distinguisher. */
  readonly flows: Map<string, Flow>;
}

export interface FlowControlObserver {
  flow(schema: string, level: string): FlowObserved;
  /** Since the previous call a level had the numbers that `set` has now. */
  levelChanged(level: PriorityLevel, before: LevelNumbers, seconds: number): void;
  /**
   * Since the previous call this many read-only or mutating requests were in flight and queued; there are `totalSeats`.
   */
  kindLasted(kind: RequestKind, executing: number, waiting: number, seconds: number, totalSeats: number): void;
}
export type RequestKind = 'readOnly' | 'mutating';
/** The executing and queued requests of a level. */
export interface LevelNumbers {
  executing: number;
  waiting: number;
  seatsInUse: number;
  waitingSeats: number;
}

export interface FlowControllerOptions {
  /** Seats of all levels. */
  readonly totalSeats: number;
  /** Seconds. */
  readonly clock: Clock;
  /** Runs a function after a number of seconds. */
  readonly later: (run: () => void, seconds: number) => void;
  readonly observer: FlowControlObserver;
}

/** Requests of one kind at all levels. */
class KindNumbers {
  private readonly lasted: (executing: number, waiting: number, seconds: number) => void;
  private at: number;
  executing = 0;
  waiting = 0;

  constructor(now: number, lasted: (executing: number, waiting: number, seconds: number) => void) {
    this.lasted = lasted;
    this.at = now;
  }

  change(now: number, executing: number, waiting: number): void {
    this.lasted(this.executing, this.waiting, now - this.at);
    this.at = now;
    this.executing += executing;
    this.waiting += waiting;
  }
}

/** The seats that a request holds. A second release has no effect. */
export class Seat {
  private readonly controller: FlowController;
  readonly request: QueuedRequest;
  readonly classified: Classified;
  private held = true;

  constructor(controller: FlowController, classified: Classified, request: QueuedRequest) {
    this.controller = controller;
    this.classified = classified;
    this.request = request;
  }

  giveBack(): void {
    if (!this.held) return;
    this.held = false;
    this.controller.finished(this);
  }
}

/** A request that waits for a seat. */
export interface Waiting {
  readonly decided: Promise<Seat | RejectReason>;
  /** Has no effect after the decision. */
  giveUp(reason: RejectReason): void;
}

interface Watched {
  readonly level: PriorityLevel;
  readonly before: LevelNumbers;
  at: number;
}

/**
 * Priority and fairness: requests are classified by the flow schemas, and get seats of their priority level, within
 * which flows are treated alike. Levels lend seats that they do not use. Made of objects that may change at any time; a
 * request stays with its first level.
 */
export class FlowController implements QueueSetObserver {
  private readonly options: FlowControllerOptions;
  private readonly levelsByName = new Map<string, PriorityLevel>();
  private readonly watched = new Map<QueueSet, Watched>();
  private readonly figuresByKey = new Map<string, FlowFigures>();
  private table: FlowTable;
  private fallback: PriorityLevel;
  private classes = new Map<CompiledSchema, Classified>();
  readonly kinds: Readonly<Record<RequestKind, KindNumbers>>;
  /** Of the last adjustment. */
  fairFraction = 0;

  constructor(
    options: FlowControllerOptions,
    schemas: readonly FlowSchema[],
    levels: readonly PriorityLevelConfiguration[],
  ) {
    this.options = options;
    const numbers = (kind: RequestKind): KindNumbers =>
      new KindNumbers(options.clock(), (executing, waiting, seconds) =>
        options.observer.kindLasted(kind, executing, waiting, seconds, options.totalSeats),
      );
    this.kinds = { readOnly: numbers('readOnly'), mutating: numbers('mutating') };
    this.fallback = this.addLevel('catch-all');
    this.table = new FlowTable([], { name: 'catch-all', uid: '', level: 'catch-all', distinguisher: 'ByUser' });
    this.configure(schemas, levels);
  }

  get levels(): IterableIterator<PriorityLevel> {
    return this.levelsByName.values();
  }

  get flows(): IterableIterator<FlowFigures> {
    return this.figuresByKey.values();
  }

  get totalSeats(): number {
    return this.options.totalSeats;
  }

  /** Takes the present objects. Schemas of missing levels match nothing. */
  configure(schemas: readonly FlowSchema[], configurations: readonly PriorityLevelConfiguration[]): void {
    const present = new Set<string>();
    for (const configuration of configurations) {
      const name = configuration.metadata.name ?? '';
      present.add(name);
      (this.levelsByName.get(name) ?? this.addLevel(name)).configure(configuration);
    }
    for (const [name, level] of this.levelsByName) if (!present.has(name)) this.quiesce(level);
    const usable = schemas.filter(({ spec }) => present.has(spec.priorityLevelConfiguration.name ?? ''));
    const catchAll = schemas.find(({ metadata }) => metadata.name === 'catch-all');
    this.fallback = this.levelsByName.get('catch-all') ?? this.addLevel('catch-all');
    this.classes = new Map();
    this.table = new FlowTable(usable, {
      name: 'catch-all',
      uid: catchAll?.metadata.uid ?? '',
      level: 'catch-all',
      distinguisher: 'ByUser',
    });
    this.reckon();
  }

  private addLevel(name: string): PriorityLevel {
    const level = new PriorityLevel(name, this.options.clock, this);
    this.levelsByName.set(name, level);
    this.watched.set(level.set, {
      level,
      before: { executing: 0, waiting: 0, seatsInUse: 0, waitingSeats: 0 },
      at: this.options.clock(),
    });
    return level;
  }

  /** Removed with its last request. */
  private quiesce(level: PriorityLevel): void {
    level.isQuiescing = true;
    if (!level.set.isIdle || level === this.fallback) return;
    this.levelsByName.delete(level.name);
    this.watched.delete(level.set);
  }

  private reckon(): void {
    const { totalSeats } = this.options;
    const levels = [...this.levelsByName.values()];
    const allShares = levels.reduce((sum, { shares, isQuiescing }) => sum + (isQuiescing ? 0 : shares), 0);
    for (const level of levels) level.reckon(totalSeats, allShares);
    this.shareOut();
  }

  /** Ends a period of demand, and lends unused seats to levels with demand. Call it every ten seconds. */
  adjust(): void {
    const now = this.options.clock();
    for (const level of this.levelsByName.values()) {
      level.demand.endPeriod(now);
      if (level.isQuiescing) this.quiesce(level);
    }
    this.shareOut();
  }

  private shareOut(): void {
    const levels = [...this.levelsByName.values()];
    const limited = levels.filter(({ isExempt }) => !isExempt);
    // Seats that exempt requests used are not available to others.
    const exempt = levels.reduce(
      (sum, level) => sum + (level.isExempt ? Math.max(level.min, level.demand.peak) : 0),
      0,
    );
    const { seats, fraction } = shareSeats(
      Math.max(0, this.options.totalSeats - exempt),
      limited.map((level) => level.claim()),
    );
    this.fairFraction = fraction;
    for (const level of levels) if (level.isExempt) level.set.setLimit(Infinity);
    for (const [i, level] of limited.entries())
      level.set.setLimit(level.isQuiescing ? Math.max(1, seats[i]!) : seats[i]!);
  }

  classify(user: UserInfo, info: RequestInfo): Classified {
    const schema = this.table.schemaOf(user, info);
    let known = this.classes.get(schema);
    if (known === undefined) {
      const level = this.levelsByName.get(schema.level) ?? this.fallback;
      known = { schema, level, figures: this.figuresOf(schema.name, level.name), flows: new Map() };
      this.classes.set(schema, known);
    }
    return known;
  }

  private figuresOf(schema: string, level: string): FlowFigures {
    const key = `${schema}\n${level}`;
    let figures = this.figuresByKey.get(key);
    if (figures === undefined) {
      figures = new FlowFigures(schema, level, this.options.observer.flow(schema, level));
      this.figuresByKey.set(key, figures);
    }
    return figures;
  }

  /** A seat at once, a refusal at once, or a queued request. `details`: for debug pages. */
  ask(
    classified: Classified,
    user: UserInfo,
    info: RequestInfo,
    work: WorkEstimate,
    details: unknown,
  ): Seat | RejectReason | Waiting {
    const { schema, level, figures } = classified;
    const request = new QueuedRequest(flowOf(classified, distinguish(schema, user, info)), work, details, info);
    figures.observed.estimated(work);
    let settle!: (outcome: Seat | RejectReason) => void;
    const outcome = level.set.ask(request, (refused) => {
      figures.waiting--;
      figures.waitingSeats -= request.width;
      this.kinds[request.kind].change(level.set.lastAt, 0, -1);
      settle(refused === undefined ? this.started(classified, request) : this.rejected(classified, request, refused));
    });
    if (outcome === 'started') return this.started(classified, request);
    if (outcome !== undefined) return this.rejected(classified, request, outcome);
    figures.waiting++;
    figures.waitingSeats += request.width;
    this.kinds[request.kind].change(level.set.lastAt, 0, 1);
    figures.observed.enqueued(request.queue!.waiting.size);
    const decided = new Promise<Seat | RejectReason>((resolve) => {
      settle = resolve;
    });
    return { decided, giveUp: (reason) => level.set.remove(request, reason) };
  }

  private started(classified: Classified, request: QueuedRequest): Seat {
    const { figures } = classified;
    figures.dispatched++;
    figures.executing++;
    figures.executingSeats += request.width;
    this.kinds[request.kind].change(request.startedAt!, 1, 0);
    figures.observed.waited(true, request.startedAt! - request.arrivedAt);
    return new Seat(this, classified, request);
  }

  private rejected({ figures, level }: Classified, { arrivedAt }: QueuedRequest, reason: RejectReason): RejectReason {
    figures.reject(reason);
    figures.observed.waited(false, level.set.lastAt - arrivedAt);
    return reason;
  }

  /** Of a seat alone. */
  finished({ request, classified: { level, figures } }: Seat): void {
    figures.executing--;
    figures.executingSeats -= request.width;
    level.set.finish(request, this.options.later);
    this.kinds[request.kind].change(level.set.lastAt, -1, 0);
    figures.observed.executed(request.isWatch ? 'watch' : 'regular', level.set.lastAt - request.startedAt!);
  }

  changed(set: QueueSet): void {
    const watched = this.watched.get(set);
    if (watched === undefined) return;
    const { level, before } = watched;
    const now = set.lastAt;
    level.demand.set(now, set.seatsInUse + set.waitingSeats);
    this.options.observer.levelChanged(level, before, now - watched.at);
    watched.at = now;
    before.executing = set.executing;
    before.waiting = set.waiting;
    before.seatsInUse = set.seatsInUse;
    before.waitingSeats = set.waitingSeats;
  }
}

function flowOf({ schema, flows }: Classified, distinguisher: string): Flow {
  let flow = flows.get(distinguisher);
  if (flow === undefined) {
    if (flows.size >= FLOWS_MAX) flows.clear();
    flow = new Flow(schema.name, distinguisher);
    flows.set(distinguisher, flow);
  }
  return flow;
}
