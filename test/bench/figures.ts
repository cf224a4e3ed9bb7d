import type { RowName } from './rows.ts';

/** What a client saw in a measured window. */
export interface Measurement {
  readonly operations: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Body bytes received. */
  readonly bytes: number;
  /** CPU time of the server in the window; absent where its process is not known. */
  readonly serverCpuMicros: number | undefined;
  readonly clientCpuMicros: number;
}

export interface ThroughputFigures {
  readonly kind: 'throughput';
  readonly operations: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytesPerOperation: number;
  readonly cpuMicros: number | undefined;
  /**
   * Part of one core that the client used: near 1 it is the client that is measured, and only `cpuMicros` tells about
   * the server.
   */
  readonly clientCpuShare: number;
}

/** In the row's unit. */
export interface GaugeFigures {
  readonly kind: 'gauge';
  readonly value: number;
}

export interface FailedRow {
  readonly kind: 'failed';
  readonly error: string;
}

export type Figures = ThroughputFigures | GaugeFigures | FailedRow;

/** Rows that do not apply to a server, such as restarts of one that we did not start, are absent. */
export type FiguresByRow = Partial<Record<RowName, Figures>>;

export function throughput(measured: Measurement): ThroughputFigures {
  const { operations, seconds } = measured;
  return {
    kind: 'throughput',
    operations,
    seconds,
    perSecond: operations / seconds,
    p50Ms: measured.p50Ms,
    p99Ms: measured.p99Ms,
    bytesPerOperation: measured.bytes / operations,
    cpuMicros: measured.serverCpuMicros === undefined ? undefined : measured.serverCpuMicros / operations,
    clientCpuShare: measured.clientCpuMicros / 1e6 / seconds,
  };
}
