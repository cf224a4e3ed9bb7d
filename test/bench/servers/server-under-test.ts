import type { Endpoint } from '../client/http-connection.ts';

/** A server that can be measured. */
export interface RunningServer {
  readonly endpoint: Endpoint;
  /** Absent where the process is not on this machine or not known: then neither CPU nor memory is measured. */
  readonly pid: number | undefined;
  /** From the start of the process to its first answer that it is ready; absent for one that we did not start. */
  readonly readySeconds: number | undefined;
  /** For a server that we did not start: does nothing. */
  stop(): Promise<void>;
}

/** How to get one. */
export interface ServerUnderTest {
  readonly name: string;
  /** Whether it can be stopped and started as the rows about restarts want. */
  readonly canRestart: boolean;
  /** Starts it on its data, which the first start makes. */
  start(): Promise<RunningServer>;
  /** Starts it on an empty store; not for a server that we did not start. */
  startEmpty(): Promise<RunningServer>;
  /**
   * Starts it on an empty store, with controllers, a scheduler and simulated nodes. One that we did not start is taken
   * as it is.
   */
  startCluster(nodes: number): Promise<RunningServer>;
  /** Ends what only this system needs, such as its etcd. */
  release(): Promise<void>;
}
