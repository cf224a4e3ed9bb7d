import type { Endpoint } from './http-connection.ts';

/** Rows that repeat requests on pods that exist. */
export const requestRowNames = [
  'get-json',
  'get-protobuf',
  'list-json',
  'list-json-rv0',
  'list-protobuf-rv0',
  'list-label',
  'table-chunk',
  'merge-patch',
  'json-patch',
  'get-replace',
] as const;
export type RequestRowName = (typeof requestRowNames)[number];

interface JobBase {
  readonly endpoint: Endpoint;
  /** The process whose CPU is the server's. */
  readonly serverPid: number | undefined;
  readonly connections: number;
}

interface Timed {
  readonly seconds: { readonly warmUp: number; readonly measured: number };
}

export interface CreateJob extends JobBase {
  readonly kind: 'create';
  readonly namespace: string;
  readonly count: number;
}

export interface RequestsJob extends JobBase, Timed {
  readonly kind: 'requests';
  readonly row: RequestRowName;
  /** Pods that exist. */
  readonly pods: number;
}

/** Requests of a path of the floor server; `isCreate` posts pods. */
export interface FloorJob extends JobBase, Timed {
  readonly kind: 'floor';
  readonly path: string;
  readonly isCreate: boolean;
}

/** An operation is one event that reached one watcher. `connections` are those of the writers. */
export interface WatchJob extends JobBase, Timed {
  readonly kind: 'watch';
  readonly watchers: number;
  /** Without a rate: as many as are delivered, a few ahead. */
  readonly updatesPerSecond: number | undefined;
}

/** An operation is one update of a pod that reached the one watcher of its node. `watchers` 0: only the updates. */
export interface NodeWatchJob extends JobBase, Timed {
  readonly kind: 'node-watch';
  readonly watchers: number;
  readonly pods: number;
  readonly updatesPerSecond: number;
}

/** A job for the client process; each is answered by one Measurement. */
export type Job = CreateJob | RequestsJob | FloorJob | WatchJob | NodeWatchJob;
