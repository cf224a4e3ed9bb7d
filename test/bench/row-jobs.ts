import { timedSeconds, type BenchPlan } from './bench-plan.ts';
import { requestRowNames, type Job, type RequestRowName } from './client/job.ts';
import { rows, type RowName } from './rows.ts';
import type { RunningServer } from './servers/server-under-test.ts';

/** Connections that change watched objects. */
const writerConnections = 4;

/** Rows that a client measures for a time on a server that has the workload's pods. */
export type TimedRowName = RequestRowName | 'fan-out' | 'watch-paced' | 'watch-few';

export const timedRowNames: readonly TimedRowName[] = [...requestRowNames, 'fan-out', 'watch-paced', 'watch-few'];

/** The client's job for one of these rows. */
export function timedJob(row: TimedRowName, { endpoint, pid }: RunningServer, plan: BenchPlan): Job {
  const job = { endpoint, serverPid: pid, seconds: timedSeconds(plan) };
  switch (row) {
    case 'fan-out':
      return {
        ...job,
        kind: 'watch',
        connections: writerConnections,
        watchers: plan.fanOutWatchers,
        updatesPerSecond: undefined,
      };
    case 'watch-paced':
      return {
        ...job,
        kind: 'watch',
        connections: writerConnections,
        watchers: plan.pacedWatchers,
        updatesPerSecond: plan.updatesPerSecond,
      };
    case 'watch-few':
      return {
        ...job,
        kind: 'watch',
        connections: writerConnections,
        watchers: plan.fewWatchers,
        updatesPerSecond: plan.updatesPerSecond,
      };
    default:
      return {
        ...job,
        kind: 'requests',
        row,
        connections: listsEverything(row) ? plan.listConnections : plan.connections,
        pods: plan.pods,
      };
  }
}

/** Updates of pods at a rate, with so many nodes that watch their own; 0: the updates alone. */
export function nodeWatchJob(watchers: number, { endpoint, pid }: RunningServer, plan: BenchPlan): Job {
  return {
    kind: 'node-watch',
    endpoint,
    serverPid: pid,
    seconds: timedSeconds(plan),
    connections: Math.min(plan.connections, plan.nodePods),
    watchers,
    pods: plan.nodePods,
    updatesPerSecond: plan.nodeUpdatesPerSecond,
  };
}

/** Makes so many pods in a namespace. */
export function createJob(namespace: string, count: number, { endpoint, pid }: RunningServer, plan: BenchPlan): Job {
  return { kind: 'create', endpoint, serverPid: pid, connections: plan.connections, namespace, count };
}

function listsEverything(row: RowName): boolean {
  return rows.some((each) => each.name === row && each.kind === 'throughput' && each.isLarge === true);
}
