import { setTimeout as sleep } from 'node:timers/promises';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import { cpuMicrosBetween, cpuOfThreads, memoryBytes } from '../process-usage.ts';
import type { RowName } from '../rows.ts';
import type { RunningServer, ServerUnderTest } from '../servers/server-under-test.ts';
import type { SystemRun } from '../system-run.ts';
import { ClusterLoad } from './cluster-load.ts';
import { GetTimes } from './get-times.ts';

/** In the order in which they are measured; each needs the state that those before it leave. */
const loadRows: readonly RowName[] = [
  'cluster-get-resting',
  'cluster-ready',
  'cluster-cpu',
  'cluster-memory',
  'cluster-get-busy',
  'cluster-roll',
  'cluster-idle',
  'cluster-idle-memory',
  'cluster-delete',
  'cluster-collect',
];
const smallRows: readonly RowName[] = ['cluster-start', 'cluster-start-memory', 'cluster-start-idle'];
/** Nodes that `up` simulates where nothing else is asked for. */
const SMALL_NODES = 3;

/**
 * A cluster in which things move: controllers, a scheduler and simulated nodes beside the server. Of a server that runs
 * elsewhere it is expected to have them, and the nodes.
 */
export async function measureClusters(system: ServerUnderTest, run: SystemRun): Promise<void> {
  if (system.canRestart && run.wants(...smallRows)) await measureSmall(system, run);
  if (run.wants(...loadRows)) await measureLoad(system, run);
}

async function measureSmall(system: ServerUnderTest, run: SystemRun): Promise<void> {
  const server = await system.startCluster(SMALL_NODES);
  try {
    await run.gauge('cluster-start', () => server.readySeconds ?? Number.NaN);
    await sleep(run.plan.settleMs);
    await run.gauge('cluster-start-memory', () => megabytes(server));
    await run.gauge('cluster-start-idle', () => percentOfCore(server, run.plan.clusterIdleMs));
  } finally {
    await server.stop();
  }
}

async function measureLoad(system: ServerUnderTest, run: SystemRun): Promise<void> {
  const { plan } = run;
  const server = await system.startCluster(plan.clusterNodes);
  const client = clientOf(server);
  const load = new ClusterLoad(client, { deployments: plan.clusterDeployments, replicas: plan.clusterReplicas });
  try {
    await load.prepare();
    await sleep(plan.settleMs);
    await measureSteps(server, load, run);
  } finally {
    // What we did not start goes on, without what we put there.
    if (!system.canRestart) await load.clear();
    client.close();
    await server.stop();
  }
}

async function measureSteps(server: RunningServer, load: ClusterLoad, run: SystemRun): Promise<void> {
  const { plan } = run;
  const hasProcess = server.pid !== undefined;
  // With connections of its own.
  const other = clientOf(server);
  try {
    await run.gauge('cluster-get-resting', () => GetTimes.p99Within(other, plan.clusterIdleMs));
    const gets = new GetTimes(other);
    const ready = await timed(server, () => load.deploy());
    const p99Ms = await gets.stop();
    await run.gauge('cluster-ready', () => ready.seconds);
    if (hasProcess) {
      await run.gauge('cluster-cpu', () => ready.cpuSeconds);
      await run.gauge('cluster-memory', () => megabytes(server));
    }
    await run.gauge('cluster-get-busy', () => p99Ms);
    await run.gauge('cluster-roll', async () => (await timed(server, () => load.roll(plan.clusterRolled))).seconds);
    if (hasProcess) {
      await sleep(plan.settleMs);
      await run.gauge('cluster-idle', () => percentOfCore(server, plan.clusterIdleMs));
      await run.gauge('cluster-idle-memory', () => megabytes(server));
    }
    const removed = await timed(server, () => load.remove());
    await run.gauge('cluster-delete', () => removed.seconds);
    if (!run.wants('cluster-collect')) return;
    await load.createOwned(plan.clusterOwned);
    await run.gauge('cluster-collect', async () => (await timed(server, () => load.collectOwned())).seconds);
  } finally {
    other.close();
  }
}

function clientOf({ endpoint: { url, token, ca } }: RunningServer): RestClient {
  const trust = ca === undefined ? { insecureSkipTlsVerify: true } : { ca };
  return new RestClient({ server: new URL(url), credentials: { token }, ...trust }, { qps: -1 });
}

/** Seconds of the clock, and of CPU of the server's process. */
async function timed(
  { pid }: RunningServer,
  work: () => Promise<void>,
): Promise<{ readonly seconds: number; readonly cpuSeconds: number }> {
  const [startMs, before] = [performance.now(), pid === undefined ? undefined : cpuOfThreads(pid)];
  await work();
  return {
    seconds: (performance.now() - startMs) / 1000,
    cpuSeconds: before === undefined ? Number.NaN : cpuMicrosBetween(before, cpuOfThreads(pid!)) / 1e6,
  };
}

async function percentOfCore(server: RunningServer, ms: number): Promise<number> {
  const { seconds, cpuSeconds } = await timed(server, () => sleep(ms));
  return (cpuSeconds / seconds) * 100;
}

function megabytes({ pid }: RunningServer): number {
  return pid === undefined ? Number.NaN : memoryBytes(pid).resident / 1e6;
}
