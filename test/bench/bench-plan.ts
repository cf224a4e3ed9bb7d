import type { RowName } from './rows.ts';

/** How large a run is. Every number is a bound: nothing runs until it is "stable". */
export interface BenchPlan {
  readonly rows: ReadonlySet<RowName>;
  readonly pods: number;
  /** Length of the measured window of a row. */
  readonly seconds: number;
  /** Keep-alive connections of rows with small answers. */
  readonly connections: number;
  /** Connections of rows that list everything: more of them would measure how fast the client swallows bytes. */
  readonly listConnections: number;
  readonly fanOutWatchers: number;
  readonly pacedWatchers: number;
  readonly fewWatchers: number;
  readonly updatesPerSecond: number;
  /** Watchers of pods by node name, pods that change, and how often. */
  readonly nodeWatchers: number;
  readonly nodePods: number;
  readonly nodeUpdatesPerSecond: number;
  /** Pods in the store before the restart, those of the rows included. */
  readonly podsAtRestart: number;
  /** Starts on an empty directory, of which the median counts. */
  readonly emptyStarts: number;
  /**
   * How often two servers are started side by side: one process is up to ten percent faster than another one of the
   * same kind.
   */
  readonly starts: number;
  /**
   * How long one of them is measured before it is the other one's turn; a row has as many turns as fit into its window.
   */
  readonly turnSeconds: number;
  /** What comes before the turns that count, on each side: much has to be compiled, the more so for writes. */
  readonly warmUp: { readonly createTurns: number; readonly writeSeconds: number; readonly readSeconds: number };
  /** Quiet time before memory is read. */
  readonly settleMs: number;
  /** A cluster that moves: deployments, pods of each, simulated nodes, deployments that get another image. */
  readonly clusterDeployments: number;
  readonly clusterReplicas: number;
  readonly clusterNodes: number;
  readonly clusterRolled: number;
  /** Objects that one object owns, for the collector. */
  readonly clusterOwned: number;
  /** How long an idle cluster is looked at. */
  readonly clusterIdleMs: number;
}

export interface PlanOptions {
  readonly rows: ReadonlySet<RowName>;
  readonly pods: number | undefined;
  readonly seconds: number | undefined;
  readonly starts: number | undefined;
  readonly quick: boolean;
}

/** The number of pods with which the stock server was measured. */
const designPods = 3000;
/** Pods beyond those of the rows after which the design measures a restart. */
const morePods = 20_000;

export function benchPlan(options: PlanOptions): BenchPlan {
  const { rows, quick } = options;
  const pods = options.pods ?? (quick ? 100 : designPods);
  return {
    rows,
    pods,
    seconds: options.seconds ?? (quick ? 0.1 : 5),
    connections: Math.min(quick ? 4 : 16, pods),
    listConnections: quick ? 2 : 4,
    fanOutWatchers: quick ? 20 : 500,
    pacedWatchers: quick ? 20 : 2000,
    fewWatchers: quick ? 10 : 500,
    updatesPerSecond: 50,
    nodeWatchers: quick ? 40 : 5000,
    nodePods: quick ? 16 : 320,
    nodeUpdatesPerSecond: quick ? 100 : 1000,
    podsAtRestart: pods + (quick ? 100 : morePods),
    emptyStarts: quick ? 1 : 3,
    starts: options.starts ?? (quick ? 1 : 3),
    turnSeconds: quick ? 0.1 : 0.15,
    warmUp: quick
      ? { createTurns: 1, writeSeconds: 0.1, readSeconds: 0.1 }
      : { createTurns: 3, writeSeconds: 3, readSeconds: 1 },
    settleMs: quick ? 50 : 3000,
    clusterDeployments: quick ? 2 : 100,
    clusterReplicas: quick ? 3 : 50,
    clusterNodes: quick ? 2 : 60,
    clusterRolled: quick ? 1 : 20,
    clusterOwned: quick ? 10 : 10_000,
    clusterIdleMs: quick ? 100 : 10_000,
  };
}

/** Warm-up and window of a timed row. */
export function timedSeconds(plan: BenchPlan): { readonly warmUp: number; readonly measured: number } {
  return { warmUp: plan.seconds / 4, measured: plan.seconds };
}

export function isDesignSize(plan: BenchPlan): boolean {
  return plan.pods === designPods && plan.podsAtRestart === designPods + morePods;
}
