import type {
  FlowController,
  FlowControlObserver,
  LevelNumbers,
  RequestKind,
} from '../../server/flow-control/flow-controller.ts';
import type { FlowFigures, FlowObserved } from '../../server/flow-control/flow-figures.ts';
import type { PriorityLevel } from '../../server/flow-control/priority-level.ts';
import type { WorkEstimate } from '../../server/flow-control/work.ts';
import { HistogramSeries } from './histogram-series.ts';
import type { HistogramFamily, Labels, MetricFamily, Sample, ValueFamily } from './metric-family.ts';

const durationBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30] as const;
const lengthBounds = [0, 10, 25, 50, 100, 250, 500, 1000] as const;
const seatBounds = [1, 2, 4, 10] as const;
const watchBounds = [0, 1, 10, 100, 1000, 10_000] as const;
/** Of what a level may have. */
const requestRatioBounds = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1] as const;
const seatRatioBounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const;
const demandRatioBounds = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6] as const;
/** Histograms over time count nanoseconds, as those of stock servers. */
const NANOSECONDS = 1e9;

const PREFIX = 'apiserver_flowcontrol_';

/** The numbers of requests of one schema at one level. */
class FlowSeries implements FlowObserved {
  readonly labels: Labels;
  readonly waitedExecuted: HistogramSeries;
  readonly waitedRejected: HistogramSeries;
  readonly regular: HistogramSeries;
  readonly watch: HistogramSeries;
  readonly lengths: HistogramSeries;
  readonly seats: HistogramSeries;
  readonly watchers: HistogramSeries;

  constructor(schema: string, level: string) {
    const labels = { flow_schema: schema, priority_level: level };
    this.labels = labels;
    this.waitedExecuted = new HistogramSeries({ execute: 'true', ...labels }, durationBounds);
    this.waitedRejected = new HistogramSeries({ execute: 'false', ...labels }, durationBounds);
    this.regular = new HistogramSeries({ ...labels, type: 'regular' }, durationBounds);
    this.watch = new HistogramSeries({ ...labels, type: 'watch' }, durationBounds);
    this.lengths = new HistogramSeries(labels, lengthBounds);
    this.seats = new HistogramSeries(labels, seatBounds);
    this.watchers = new HistogramSeries(labels, watchBounds);
  }

  enqueued(queueLength: number): void {
    this.lengths.observe(queueLength);
  }

  waited(executed: boolean, seconds: number): void {
    (executed ? this.waitedExecuted : this.waitedRejected).observe(seconds);
  }

  executed(kind: 'regular' | 'watch', seconds: number): void {
    this[kind].observe(seconds);
  }

  estimated({ seats, finalSeats, watchers }: WorkEstimate): void {
    this.seats.observe(Math.max(seats, finalSeats));
    if (watchers !== undefined) this.watchers.observe(watchers);
  }
}

/** Shares of a level's places in use, over time. */
class LevelSeries {
  readonly executingRequests: HistogramSeries;
  readonly waitingRequests: HistogramSeries;
  readonly executingSeats: HistogramSeries;
  readonly demand: HistogramSeries;

  constructor(level: string) {
    this.executingRequests = new HistogramSeries({ phase: 'executing', priority_level: level }, requestRatioBounds);
    this.waitingRequests = new HistogramSeries({ phase: 'waiting', priority_level: level }, requestRatioBounds);
    this.executingSeats = new HistogramSeries({ phase: 'executing', priority_level: level }, seatRatioBounds);
    this.demand = new HistogramSeries({ priority_level: level }, demandRatioBounds);
  }

  lasted({ set, nominal }: PriorityLevel, before: LevelNumbers, seconds: number): void {
    const times = Math.round(seconds * NANOSECONDS);
    if (times <= 0) return;
    const limit = Number.isFinite(set.seatLimit) ? set.seatLimit : Math.max(1, nominal);
    this.executingRequests.observe(ratio(before.executing, limit), times);
    this.waitingRequests.observe(ratio(before.waiting, set.waitingMax), times);
    this.executingSeats.observe(ratio(before.seatsInUse, limit), times);
    this.demand.observe(ratio(before.seatsInUse + before.waitingSeats, nominal), times);
  }
}

function kindSeries(kind: RequestKind): Record<'executing' | 'waiting', HistogramSeries> {
  const series = (phase: string): HistogramSeries =>
    new HistogramSeries({ phase, request_kind: kind }, requestRatioBounds);
  return { executing: series('executing'), waiting: series('waiting') };
}

function ratio(part: number, whole: number): number {
  return part === 0 ? 0 : part / Math.max(1, whole);
}

/** Priority and fairness under the names of stock servers. Labels are names of objects, not of clients. */
export class FlowControlSeries implements FlowControlObserver {
  private readonly flows: FlowSeries[] = [];
  private readonly levels = new Map<string, LevelSeries>();
  private readonly kinds = { readOnly: kindSeries('readOnly'), mutating: kindSeries('mutating') };

  kindLasted(kind: RequestKind, executing: number, waiting: number, seconds: number, totalSeats: number): void {
    const times = Math.round(seconds * NANOSECONDS);
    if (times <= 0) return;
    this.kinds[kind].executing.observe(ratio(executing, totalSeats), times);
    this.kinds[kind].waiting.observe(ratio(waiting, totalSeats), times);
  }

  flow(schema: string, level: string): FlowObserved {
    const series = new FlowSeries(schema, level);
    this.flows.push(series);
    return series;
  }

  levelChanged(level: PriorityLevel, before: LevelNumbers, seconds: number): void {
    let series = this.levels.get(level.name);
    if (series === undefined) this.levels.set(level.name, (series = new LevelSeries(level.name)));
    series.lasted(level, before, seconds);
  }

  families(controller: () => FlowController | undefined): readonly MetricFamily[] {
    return [...this.histograms(), ...flowValues(controller), ...levelValues(controller), waitingByKind(controller)];
  }

  private histograms(): HistogramFamily[] {
    const family = (name: string, help: string, series: () => Iterable<HistogramSeries>): HistogramFamily => ({
      name: `${PREFIX}${name}`,
      type: 'histogram',
      help,
      series,
    });
    const ofFlows = (pick: (flow: FlowSeries) => readonly HistogramSeries[]) => (): HistogramSeries[] =>
      this.flows.flatMap((flow) => pick(flow).filter(({ count }) => count > 0));
    const ofLevels = (pick: (level: LevelSeries) => readonly HistogramSeries[]) => (): HistogramSeries[] =>
      [...this.levels.values()].flatMap(pick);
    return [
      family(
        'request_wait_duration_seconds',
        'Time that requests waited for their seats.',
        ofFlows((flow) => [flow.waitedExecuted, flow.waitedRejected]),
      ),
      family(
        'request_execution_seconds',
        'Time that requests had their seats.',
        ofFlows((flow) => [flow.regular, flow.watch]),
      ),
      family(
        'request_queue_length_after_enqueue',
        'Requests in a queue behind one that came to wait, with it.',
        ofFlows((flow) => [flow.lengths]),
      ),
      family(
        'work_estimated_seats',
        'Seats that requests were taken to need.',
        ofFlows((flow) => [flow.seats]),
      ),
      family(
        'watch_count_samples',
        'Watchers that writes were estimated to notify.',
        ofFlows((flow) => [flow.watchers]),
      ),
      family(
        'read_vs_write_current_requests',
        'Requests by what they do as a part of all seats, over nanoseconds.',
        () => Object.values(this.kinds).flatMap(({ executing, waiting }) => [executing, waiting]),
      ),
      family(
        'priority_level_request_utilization',
        'Requests of a level as a part of those that there may be, over nanoseconds.',
        ofLevels((level) => [level.executingRequests, level.waitingRequests]),
      ),
      family(
        'priority_level_seat_utilization',
        'Seats of a level in use as a part of those that it has, over nanoseconds.',
        ofLevels((level) => [level.executingSeats]),
      ),
      family(
        'demand_seats',
        "Seats that a level's requests want as a part of its nominal ones, over nanoseconds.",
        ofLevels((level) => [level.demand]),
      ),
    ];
  }
}

function waitingByKind(controller: () => FlowController | undefined): ValueFamily {
  return {
    name: 'apiserver_current_inqueue_requests',
    type: 'gauge',
    help: 'Requests that wait for a seat, by what they do.',
    samples: () =>
      Object.entries(controller()?.kinds ?? {}).map(([kind, { waiting }]) => ({
        labels: { request_kind: kind },
        value: waiting,
      })),
  };
}

const reasons = ['queue-full', 'concurrency-limit', 'time-out', 'cancelled'] as const;

function flowValues(controller: () => FlowController | undefined): ValueFamily[] {
  const each = (samples: (flow: FlowFigures, labels: Labels) => Sample[]) => (): Sample[] =>
    [...(controller()?.flows ?? [])].flatMap((flow) =>
      samples(flow, { flow_schema: flow.schema, priority_level: flow.level }),
    );
  const family = (
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    pick: (flow: FlowFigures) => number,
  ): ValueFamily => ({
    name: `${PREFIX}${name}`,
    type,
    help,
    samples: each((flow, labels) => [{ labels, value: pick(flow) }]),
  });
  return [
    family('counter', 'dispatched_requests_total', 'Requests that got a seat.', ({ dispatched }) => dispatched),
    family('gauge', 'current_executing_requests', 'Requests that have a seat.', ({ executing }) => executing),
    family('gauge', 'current_executing_seats', 'Seats that requests have.', ({ executingSeats }) => executingSeats),
    family(
      'gauge',
      'request_concurrency_in_use',
      'Seats that requests have, under the older name.',
      ({ executingSeats }) => executingSeats,
    ),
    family('gauge', 'current_inqueue_requests', 'Requests that wait for a seat.', ({ waiting }) => waiting),
    family('gauge', 'current_inqueue_seats', 'Seats that requests wait for.', ({ waitingSeats }) => waitingSeats),
    {
      name: `${PREFIX}rejected_requests_total`,
      type: 'counter',
      help: 'Requests that got no seat, by reason.',
      samples: each((flow, labels) =>
        reasons.flatMap((reason) =>
          flow.rejectedFor(reason) === 0 ? [] : [{ labels: { ...labels, reason }, value: flow.rejectedFor(reason) }],
        ),
      ),
    },
  ];
}

function levelValues(controller: () => FlowController | undefined): ValueFamily[] {
  const family = (name: string, help: string, pick: (level: PriorityLevel) => number): ValueFamily => ({
    name: `${PREFIX}${name}`,
    type: 'gauge',
    help,
    samples: () =>
      [...(controller()?.levels ?? [])].map((level) => ({
        labels: { priority_level: level.name },
        value: pick(level),
      })),
  });
  const current = ({ set, nominal }: PriorityLevel): number =>
    Number.isFinite(set.seatLimit) ? set.seatLimit : nominal;
  return [
    family('nominal_limit_seats', 'Seats of a level by its shares.', ({ nominal }) => nominal),
    family('lower_limit_seats', 'Seats that a level keeps when others borrow.', ({ min }) => min),
    family('upper_limit_seats', 'Seats that a level may have when it borrows.', ({ max }) => max),
    family('current_limit_seats', 'Seats that a level has now.', current),
    family(
      'request_concurrency_limit',
      'Seats of a level by its shares, under the older name.',
      ({ nominal }) => nominal,
    ),
    family('current_r', "Virtual time of a level's queues, seat-seconds.", ({ set }) => set.virtualTime),
    family('target_seats', 'Seats that a level was to get in the last adjustment.', (level) => level.claim().target),
    family(
      'demand_seats_average',
      'Seats that were wanted in the last period, on average.',
      ({ demand }) => demand.average,
    ),
    family('demand_seats_stdev', 'Their standard deviation.', ({ demand }) => demand.deviation),
    family(
      'demand_seats_high_watermark',
      'The most seats that were wanted in the last period.',
      ({ demand }) => demand.peak,
    ),
    family(
      'demand_seats_smoothed',
      'Seats that were wanted, smoothed over periods.',
      ({ demand }) => demand.smoothed ?? 0,
    ),
    {
      name: `${PREFIX}seat_fair_frac`,
      type: 'gauge',
      help: 'The fraction of their target that levels got in the last adjustment.',
      samples: () => [{ labels: {}, value: controller()?.fairFraction ?? 0 }],
    },
  ];
}
