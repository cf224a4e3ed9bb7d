/** What a stock Go API server (release 1.25, etcd 3.4) did on a 2-core machine with this workload. */
export interface StockFigures {
  readonly perSecond: number;
  /** CPU of the server per operation. */
  readonly cpuMicros: number;
}

interface RowBase {
  readonly name: string;
  readonly title: string;
  /** What is aimed at, for the reader of the table. */
  readonly aim: string;
}

/** A row that repeats an operation. */
export interface ThroughputRow extends RowBase {
  readonly kind: 'throughput';
  readonly stock: StockFigures | undefined;
  /** Whether a ready buffer of the same size, sent by bare Fastify or to bare sockets, is a floor for it. */
  readonly floor: boolean;
  /** Lists everything: run on fewer connections. */
  readonly isLarge?: boolean;
}

/** A row that is one number, less being better. */
export interface GaugeRow extends RowBase {
  readonly kind: 'gauge';
  readonly unit: 'MB' | 's' | 'ms' | 'µs' | '%';
  readonly stock: number | undefined;
}

/** A cluster that moves; stock: API server, manager, scheduler of release 1.36 and kwok together, on two busy cores. */
const clusterRows = [
  {
    kind: 'gauge',
    name: 'cluster-start',
    title: 'cluster: ready, 3 nodes',
    unit: 's',
    stock: undefined,
    aim: '< 1.2 s',
  },
  {
    kind: 'gauge',
    name: 'cluster-start-memory',
    title: 'cluster: memory then',
    unit: 'MB',
    stock: undefined,
    aim: '< 200 MB',
  },
  {
    kind: 'gauge',
    name: 'cluster-start-idle',
    title: 'cluster: of a core, idle',
    unit: '%',
    stock: undefined,
    aim: '< 1 %',
  },
  {
    kind: 'gauge',
    name: 'cluster-get-resting',
    title: 'p99 of gets, 60 nodes at rest',
    unit: 'ms',
    stock: undefined,
    aim: '',
  },
  { kind: 'gauge', name: 'cluster-ready', title: '100 x 50 pods until ready', unit: 's', stock: 76, aim: '< 15 s' },
  { kind: 'gauge', name: 'cluster-cpu', title: 'of it CPU', unit: 's', stock: 72.9, aim: '< 25 s' },
  { kind: 'gauge', name: 'cluster-memory', title: 'memory then', unit: 'MB', stock: 1206, aim: '< 350 MB' },
  {
    kind: 'gauge',
    name: 'cluster-get-busy',
    title: 'p99 of gets meanwhile',
    unit: 'ms',
    stock: undefined,
    aim: '2x at rest',
  },
  { kind: 'gauge', name: 'cluster-roll', title: 'rolling update of 1,000 pods', unit: 's', stock: undefined, aim: '' },
  {
    kind: 'gauge',
    name: 'cluster-idle',
    title: 'of a core, idle after that',
    unit: '%',
    stock: undefined,
    aim: '< 1 %',
  },
  { kind: 'gauge', name: 'cluster-idle-memory', title: 'memory after that', unit: 'MB', stock: undefined, aim: '' },
  { kind: 'gauge', name: 'cluster-delete', title: '100 x 50 pods until deleted', unit: 's', stock: 29, aim: '< 10 s' },
  { kind: 'gauge', name: 'cluster-collect', title: 'collector: 10,000 objects', unit: 's', stock: undefined, aim: '' },
] as const satisfies readonly GaugeRow[];

const allRows = [
  {
    kind: 'throughput',
    name: 'create',
    title: 'create a pod',
    stock: { perSecond: 565, cpuMicros: 2790 },
    floor: true,
    aim: '2x',
  },
  {
    kind: 'throughput',
    name: 'get-json',
    title: 'get (JSON)',
    stock: { perSecond: 1920, cpuMicros: 683 },
    floor: true,
    aim: '3x',
  },
  {
    kind: 'throughput',
    name: 'get-protobuf',
    title: 'get (protobuf)',
    stock: { perSecond: 2240, cpuMicros: 552 },
    floor: true,
    aim: '3x',
  },
  {
    kind: 'throughput',
    name: 'list-json',
    title: 'list all, consistent, JSON',
    stock: { perSecond: 4.2, cpuMicros: 430_000 },
    floor: true,
    isLarge: true,
    aim: '5x',
  },
  {
    kind: 'throughput',
    name: 'list-json-rv0',
    title: 'list all, resourceVersion=0, JSON',
    stock: { perSecond: 9.4, cpuMicros: 199_000 },
    floor: true,
    isLarge: true,
    aim: '5x',
  },
  {
    kind: 'throughput',
    name: 'list-protobuf-rv0',
    title: 'list all, resourceVersion=0, protobuf',
    stock: { perSecond: 17.9, cpuMicros: 100_000 },
    floor: true,
    isLarge: true,
    aim: '5x',
  },
  {
    kind: 'throughput',
    name: 'list-label',
    title: 'list by label, 1 in 50',
    stock: { perSecond: 11.6, cpuMicros: 143_000 },
    floor: true,
    aim: '5x',
  },
  {
    kind: 'throughput',
    name: 'table-chunk',
    title: 'first chunk of 1 in 6 as Table',
    stock: { perSecond: 26.9, cpuMicros: 66_000 },
    floor: true,
    aim: '5x',
  },
  {
    kind: 'throughput',
    name: 'merge-patch',
    title: 'merge patch',
    stock: { perSecond: 416, cpuMicros: 4050 },
    floor: false,
    aim: '2x',
  },
  {
    kind: 'throughput',
    name: 'json-patch',
    title: 'JSON patch',
    stock: { perSecond: 350, cpuMicros: 4860 },
    floor: false,
    aim: '2x',
  },
  {
    kind: 'throughput',
    name: 'get-replace',
    title: 'get then replace',
    stock: { perSecond: 270, cpuMicros: 5960 },
    floor: false,
    aim: '2x',
  },
  {
    kind: 'throughput',
    name: 'fan-out',
    title: 'watch fan-out, deliveries',
    stock: { perSecond: 24_000, cpuMicros: 52 },
    floor: false,
    aim: '5x',
  },
  { kind: 'gauge', name: 'memory', title: 'memory after these rows', unit: 'MB', stock: 890, aim: '1/3' },
  {
    kind: 'gauge',
    name: 'memory-anonymous',
    title: 'of these, not pages of files',
    unit: 'MB',
    stock: undefined,
    aim: '',
  },
  { kind: 'gauge', name: 'memory-peak', title: 'highest memory while listing', unit: 'MB', stock: 2200, aim: '1/3' },
  {
    kind: 'throughput',
    name: 'watch-paced',
    title: 'watch at 50 updates/s, deliveries',
    stock: undefined,
    floor: false,
    aim: 'p99 < 100 ms',
  },
  {
    kind: 'throughput',
    name: 'watch-few',
    title: 'watch at 50 updates/s, few watchers',
    stock: undefined,
    floor: true,
    aim: 'p99 < 17 ms, 10 µs',
  },
  {
    kind: 'throughput',
    name: 'watch-nodes',
    title: 'pod updates, nodes watch their own',
    stock: undefined,
    floor: true,
    aim: '',
  },
  {
    kind: 'gauge',
    name: 'watch-nodes-share',
    title: 'of it what the watchers cost an update',
    unit: 'µs',
    stock: undefined,
    aim: '< 30 µs',
  },
  {
    kind: 'gauge',
    name: 'ready-restart',
    title: 'ready after a restart, store grown',
    unit: 's',
    stock: 7.8,
    aim: '< 2 s',
  },
  { kind: 'gauge', name: 'memory-restart', title: 'memory after that restart', unit: 'MB', stock: 1500, aim: '1/3' },
  {
    kind: 'gauge',
    name: 'list-cold-json',
    title: 'first list of all pods, JSON',
    unit: 's',
    stock: 2.3,
    aim: '< 0.8 s',
  },
  {
    kind: 'gauge',
    name: 'memory-cold',
    title: 'memory after that list',
    unit: 'MB',
    stock: 2500,
    aim: '< 350 MB',
  },
  {
    kind: 'gauge',
    name: 'list-cold-protobuf',
    title: 'first list of all pods, protobuf',
    unit: 's',
    stock: undefined,
    aim: '< 0.3 s',
  },
  ...clusterRows,
  { kind: 'gauge', name: 'up-ready', title: 'ready on an empty directory', unit: 's', stock: undefined, aim: '< 1 s' },
] as const satisfies readonly (ThroughputRow | GaugeRow)[];

export type RowName = (typeof allRows)[number]['name'];
export type Row = (ThroughputRow | GaugeRow) & { readonly name: RowName };

/** The design's table, in its order. */
export const rows: readonly Row[] = allRows;

export function isRowName(name: string): name is RowName {
  return rows.some((row) => row.name === name);
}
