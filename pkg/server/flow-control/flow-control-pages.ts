import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import type { OperatorPages } from '../system/operator-pages.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondBytes } from '../answers/respond.ts';
import type { FlowController } from './flow-controller.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { QueuedRequest } from './queue-set.ts';

const ROOT = '/debug/api_priority_and_fairness/';

/** Waiting and executing requests, in tables of text, as operators of stock servers know them. */
export class FlowControlPages implements OperatorPages {
  readonly listed = ['dump_priority_levels', 'dump_queues', 'dump_requests'].map((name) => ROOT + name);
  private readonly controller: FlowController;

  constructor(controller: FlowController) {
    this.controller = controller;
  }

  answer(context: RequestContext): Promise<void> | undefined {
    const { path } = context.info;
    if (!path.startsWith(ROOT)) return undefined;
    const rows = this.rowsOf(path.slice(ROOT.length), context.query.get('includeRequestDetails') === '1');
    if (rows === undefined) return undefined;
    if (context.method !== 'GET' && context.method !== 'HEAD') throw genericServerResponse(405);
    respondBytes(context, 200, 'text/plain; charset=utf-8', Buffer.from(tableText(rows)), {
      'x-content-type-options': 'nosniff',
    });
    return Promise.resolve();
  }

  private rowsOf(page: string, details: boolean): readonly (readonly unknown[])[] | undefined {
    const levels = [...this.controller.levels].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (page === 'dump_priority_levels') return [LEVEL_COLUMNS, ...levels.map((level) => this.levelRow(level))];
    if (page === 'dump_queues') return [QUEUE_COLUMNS, ...levels.flatMap(queueRows)];
    if (page === 'dump_requests')
      return [
        [...REQUEST_COLUMNS, ...(details ? DETAIL_COLUMNS : [])],
        ...levels.flatMap((level) => requestRows(level, details)),
      ];
    return undefined;
  }

  private levelRow({ name, set, isQuiescing }: PriorityLevel): readonly unknown[] {
    const flows = [...this.controller.flows].filter(({ level }) => level === name);
    const sum = (pick: (flow: (typeof flows)[number]) => number): number =>
      flows.reduce((total, flow) => total + pick(flow), 0);
    return [
      name,
      set.activeQueueCount,
      set.isIdle,
      isQuiescing,
      set.waiting,
      set.executing,
      sum(({ dispatched }) => dispatched),
      sum((flow) => flow.rejectedFor('queue-full') + flow.rejectedFor('concurrency-limit')),
      sum((flow) => flow.rejectedFor('time-out')),
      sum((flow) => flow.rejectedFor('cancelled')),
    ];
  }
}

const LEVEL_COLUMNS = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];
const QUEUE_COLUMNS = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];
// Misspelt as in stock servers: scripts depend on it.
const REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const DETAIL_COLUMNS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

function queueRows({ name, set, isExempt }: PriorityLevel): readonly (readonly unknown[])[] {
  if (isExempt || set.queues.length === 0)
    return [[name, '<none>', '<none>', '<none>', '<none>', '<none>', '<none>', '<none>', '<none>']];
  return set.queues.map((queue) => {
    let initialSeats = 0;
    for (const { work } of queue.waiting) initialSeats += work.seats;
    return [
      name,
      queue.index,
      queue.waiting.size,
      queue.executing.length,
      queue.seatsInUse,
      seatSeconds(queue.nextR),
      initialSeats,
      queue.waitingSeats,
      seatSeconds(queue.waitingSeatSeconds),
    ];
  });
}

function requestRows({ name, set }: PriorityLevel, details: boolean): readonly (readonly unknown[])[] {
  const rows: unknown[][] = [];
  const indexes = new Map<object, number>();
  for (const [queue, request] of set.requests()) {
    const waits = request.startedAt === undefined;
    const index = waits ? (indexes.get(queue) ?? 0) : -1;
    if (waits) indexes.set(queue, index + 1);
    rows.push([
      ...requestRow(name, queue.index, index, request),
      ...(details ? detailsOf(request.details as RequestContext) : []),
    ]);
  }
  return rows;
}

function requestRow(
  level: string,
  queueIndex: number,
  index: number,
  { flow, work, arrivedAt, startedAt }: QueuedRequest,
): readonly unknown[] {
  return [
    level,
    flow.schema,
    queueIndex,
    index,
    quoted(flow.distinguisher),
    timeText(arrivedAt),
    work.seats,
    work.finalSeats,
    `${Math.round(work.finalSeconds * 1000)}ms`,
    startedAt === undefined ? '<none>' : timeText(startedAt),
  ];
}

function detailsOf({ user, info }: RequestContext): readonly unknown[] {
  return [
    user.name,
    info.verb,
    info.path,
    info.namespace,
    info.name,
    info.version,
    info.resource,
    info.subresource,
  ].map(quoted);
}

/** Names and paths are a client's: a line end in one would start another row. */
function quoted(text: string): string {
  return text === '' ? '<none>' : JSON.stringify(text).slice(1, -1);
}

/** `seconds` of the process's own clock. */
function timeText(seconds: number): string {
  return new Date(performance.timeOrigin + seconds * 1000).toISOString();
}

function seatSeconds(value: number): string {
  return `${value.toFixed(8)}ss`;
}

function tableText(rows: readonly (readonly unknown[])[]): string {
  const texts = rows.map((row) => row.map(String));
  const widths = texts[0]!.map((_, i) => texts.reduce((width, row) => Math.max(width, row[i]!.length), 0));
  return `${texts.map((row) => row.map((text, i) => (i < row.length - 1 ? `${text},`.padEnd(widths[i]! + 2) : text)).join('')).join('\n')}\n`;
}
