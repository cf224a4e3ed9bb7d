/**
 * What a controller manager in a process of its own takes to bring deployments up and down again: CPU, memory. Server,
 * scheduler and simulated nodes are in another process, and not counted. Run after `make build`:
 * node --import tsx test/bench/cluster/measure-manager.ts [DEPLOYMENTS] [REPLICAS] [NODES]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import { cpuMicrosBetween, cpuOfThreads, memoryBytes } from '../process-usage.ts';
import { ListeningProcess } from '../servers/listening-process.ts';
import { ClusterLoad } from './cluster-load.ts';

const program = path.resolve(import.meta.dirname, '../../../dist/binnacle.js');
/** For a look at where its time goes: `--cpu-prof` and the like. */
const nodeArgs = (process.env['MANAGER_NODE_ARGS'] ?? '').split(' ').filter(Boolean);
/** As stock programs are measured with. */
const rate = ['--cluster-api-qps=500', '--cluster-api-burst=1000'];

export interface ManagerSize {
  readonly deployments: number;
  /** Of each. */
  readonly replicas: number;
  readonly nodes: number;
  /** How long the idle manager is looked at. */
  readonly idleMs: number;
}

export interface ManagerFigures {
  readonly startMegabytes: number;
  readonly readySeconds: number;
  readonly readyCpuSeconds: number;
  readonly readyMegabytes: number;
  /** Percent of a core, once all is ready. */
  readonly idlePercent: number;
  readonly deletedSeconds: number;
  readonly deletedCpuSeconds: number;
  readonly deletedMegabytes: number;
}

export async function measureManager(size: ManagerSize): Promise<ManagerFigures> {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-manager-bench-'));
  const up = [program, 'up', '--data-dir', dir, '--secure-port=0', '--controllers=', `--simulated-nodes=${size.nodes}`];
  const server = await ListeningProcess.start(up, /ready at (https:\/\/\S+)\s/);
  const connection = ['--kubeconfig', path.join(dir, 'kubeconfig'), '--secure-port=0', '--port=0'];
  const command = [...nodeArgs, program, 'controller-manager', ...connection, ...rate];
  const manager = await ListeningProcess.start(command, /"msg":"(leading)"/);
  const token = readFileSync(path.join(dir, 'admin-token'), 'utf8').trim();
  const cluster = { server: new URL(server.address), insecureSkipTlsVerify: true, credentials: { token } };
  const client = new RestClient(cluster, { qps: -1 });
  try {
    return await measure(new ClusterLoad(client, size), manager.pid, size.idleMs);
  } finally {
    client.close();
    await manager.stop();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(load: ClusterLoad, pid: number, idleMs: number): Promise<ManagerFigures> {
  const timed = async (work: () => Promise<unknown>): Promise<{ seconds: number; cpuSeconds: number }> => {
    const [startMs, before] = [performance.now(), cpuOfThreads(pid)];
    await work();
    const cpuSeconds = cpuMicrosBetween(before, cpuOfThreads(pid)) / 1e6;
    return { seconds: (performance.now() - startMs) / 1000, cpuSeconds };
  };
  const megabytes = (): number => memoryBytes(pid).resident / 1e6;
  await load.prepare();
  await sleep(idleMs);
  const startMegabytes = megabytes();
  const ready = await timed(() => load.deploy());
  const readyMegabytes = megabytes();
  await sleep(idleMs / 2);
  const idle = await timed(() => sleep(idleMs));
  const deleted = await timed(() => load.remove());
  return {
    startMegabytes,
    readySeconds: ready.seconds,
    readyCpuSeconds: ready.cpuSeconds,
    readyMegabytes,
    idlePercent: (idle.cpuSeconds / idle.seconds) * 100,
    deletedSeconds: deleted.seconds,
    deletedCpuSeconds: deleted.cpuSeconds,
    deletedMegabytes: megabytes(),
  };
}

if (process.argv[1] === import.meta.filename) {
  const [deployments = 100, replicas = 50, nodes = 60] = process.argv.slice(2).map(Number);
  const figures = await measureManager({ deployments, replicas, nodes, idleMs: 10_000 });
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(20)} ${value.toFixed(2)}\n`);
}
