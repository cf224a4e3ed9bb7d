/**
 * What a controller manager in a process of its own takes to bring deployments up and down again: CPU, memory. Server,
 * scheduler and simulated nodes are in another process, and not counted. Run after `make build`:
 * node --import tsx test/bench/cluster/measure-manager.ts [DEPLOYMENTS] [REPLICAS] [NODES]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentOfCore, residentMegabytes, timeSpent } from '../process-usage.ts';
import { Binnacle } from '../servers/binnacle.ts';
import { killListeningProcesses, ListeningProcess } from '../servers/listening-process.ts';
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
  try {
    const system = new Binnacle({ name: 'embedded', program, dir, etcd: undefined, flags: ['--controllers='] });
    const server = await system.startCluster(size.nodes);
    const connection = ['--kubeconfig', server.kubeconfig, '--secure-port=0', '--port=0'];
    const command = [...nodeArgs, program, 'controller-manager', ...connection, ...rate];
    const manager = await ListeningProcess.start(command, /"msg":"(leading)"/);
    const load = new ClusterLoad(server.endpoint, size);
    try {
      return await measure(load, manager.pid, size.idleMs);
    } finally {
      load.close();
      await manager.stop();
    }
  } finally {
    await killListeningProcesses();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(load: ClusterLoad, pid: number, idleMs: number): Promise<ManagerFigures> {
  await load.prepare();
  await sleep(idleMs);
  const startMegabytes = residentMegabytes(pid);
  const ready = await timeSpent(pid, () => load.deploy());
  const readyMegabytes = residentMegabytes(pid);
  await sleep(idleMs / 2);
  const idlePercent = await percentOfCore(pid, idleMs);
  const deleted = await timeSpent(pid, () => load.remove());
  return {
    startMegabytes,
    readySeconds: ready.seconds,
    readyCpuSeconds: ready.cpuSeconds,
    readyMegabytes,
    idlePercent,
    deletedSeconds: deleted.seconds,
    deletedCpuSeconds: deleted.cpuSeconds,
    deletedMegabytes: residentMegabytes(pid),
  };
}

if (process.argv[1] === import.meta.filename) {
  const [deployments = 100, replicas = 50, nodes = 60] = process.argv.slice(2).map(Number);
  const figures = await measureManager({ deployments, replicas, nodes, idleMs: 10_000 });
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(20)} ${value.toFixed(2)}\n`);
}
