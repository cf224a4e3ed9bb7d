import { setTimeout as sleep } from 'node:timers/promises';
import { nodes } from '../../../pkg/api/core/tokens.ts';
import { unlessNotFound } from '../../../pkg/apimachinery/errors/status-error.ts';
import { percentOfCore, residentMegabytes, timeSpent } from '../process-usage.ts';
import type { RowName } from '../rows.ts';
import type { RunningServer, ServerUnderTest } from '../servers/server-under-test.ts';
import type { SystemRun } from '../system-run.ts';
import { clusterClient, ClusterLoad } from './cluster-load.ts';
import { p99OfGets } from './p99-of-gets.ts';

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
 * A cluster in which things move: controllers, a scheduler and simulated nodes beside the server. A server that runs
 * elsewhere is measured as it is; one without nodes is an API server alone, where no pod would ever be ready.
 */
export async function measureClusters(system: ServerUnderTest, run: SystemRun): Promise<void> {
  if (system.canRestart && run.wants(...smallRows)) await measureSmall(system, run);
  if (!run.wants(...loadRows)) return;
  if (system.canRestart || (await hasNodes(system))) await measureLoad(system, run);
  else run.skip(loadRows, 'the server has no nodes');
}

async function hasNodes(system: ServerUnderTest): Promise<boolean> {
  const { endpoint } = await system.start();
  const client = clusterClient(endpoint);
  try {
    // Other API servers need not serve nodes at all.
    const found = await unlessNotFound(client.list(nodes, { limit: 1 }));
    return found !== undefined && found.items.length > 0;
  } finally {
    client.close();
  }
}

async function measureSmall(system: ServerUnderTest, run: SystemRun): Promise<void> {
  const server = await system.startCluster(SMALL_NODES);
  const { pid, readySeconds } = server;
  try {
    await run.gauge('cluster-start', () => readySeconds ?? Number.NaN);
    if (pid === undefined) return;
    await sleep(run.plan.settleMs);
    await run.gauge('cluster-start-memory', () => residentMegabytes(pid));
    await run.gauge('cluster-start-idle', () => percentOfCore(pid, run.plan.clusterIdleMs));
  } finally {
    await server.stop();
  }
}

async function measureLoad(system: ServerUnderTest, run: SystemRun): Promise<void> {
  const { plan } = run;
  const server = await system.startCluster(plan.clusterNodes);
  const size = { deployments: plan.clusterDeployments, replicas: plan.clusterReplicas };
  const load = new ClusterLoad(server.endpoint, size);
  try {
    await load.prepare();
    await sleep(plan.settleMs);
    await measureSteps(server, load, run);
  } finally {
    // What we did not start goes on, without what we put there.
    if (!system.canRestart) await load.clear();
    load.close();
    await server.stop();
  }
}

async function measureSteps({ endpoint, pid }: RunningServer, load: ClusterLoad, run: SystemRun): Promise<void> {
  const { plan } = run;
  const timed = async (work: () => Promise<void>): Promise<number> => (await timeSpent(pid, work)).seconds;
  // With connections of its own.
  const other = clusterClient(endpoint);
  try {
    await run.gauge('cluster-get-resting', () => p99OfGets(other, () => sleep(plan.clusterIdleMs)));
    let ready = { seconds: Number.NaN, cpuSeconds: Number.NaN };
    const p99Ms = await p99OfGets(other, async () => {
      ready = await timeSpent(pid, () => load.deploy());
    });
    await run.gauge('cluster-ready', () => ready.seconds);
    if (pid !== undefined) {
      await run.gauge('cluster-cpu', () => ready.cpuSeconds);
      await run.gauge('cluster-memory', () => residentMegabytes(pid));
    }
    await run.gauge('cluster-get-busy', () => p99Ms);
    await run.gauge('cluster-roll', () => timed(() => load.roll(plan.clusterRolled)));
    if (pid !== undefined) {
      await sleep(plan.settleMs);
      await run.gauge('cluster-idle', () => percentOfCore(pid, plan.clusterIdleMs));
      await run.gauge('cluster-idle-memory', () => residentMegabytes(pid));
    }
    const removedSeconds = await timed(() => load.remove());
    await run.gauge('cluster-delete', () => removedSeconds);
    if (!run.wants('cluster-collect')) return;
    await load.createOwned(plan.clusterOwned);
    await run.gauge('cluster-collect', () => timed(() => load.collectOwned()));
  } finally {
    other.close();
  }
}
