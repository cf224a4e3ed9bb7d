/**
 * What a cluster in one program (`binnacle up`) takes to bring deployments up and down again: seconds, CPU of the whole
 * program, memory, and how long gets of another client take meanwhile. Run after `make build`:
 * node --import tsx test/bench/cluster.ts [DEPLOYMENTS] [REPLICAS] [NODES]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deployments } from '../../pkg/api/apps/tokens.ts';
import { namespaces, pods, serviceAccounts } from '../../pkg/api/core/tokens.ts';
import { RestClient } from '../../pkg/client/rest/rest-client.ts';
import type { Deployment } from '../../pkg/generated/types/apps-v1.ts';
import { cpuMicrosBetween, cpuOfThreads, memoryBytes } from './process-usage.ts';
import { ListeningProcess } from './servers/listening-process.ts';

const root = path.resolve(import.meta.dirname, '../..');
const POLL_MS = 200;
const TIMEOUT_MS = 600_000;
const NAMESPACE = 'default';

export interface ClusterFigures {
  readonly readySeconds: number;
  readonly readyCpuSeconds: number;
  readonly readyMegabytes: number;
  /** Of gets of another client while pods start, and before that. */
  readonly p99Ms: number;
  readonly restingP99Ms: number;
  /** Percent of a core, once all is ready. */
  readonly idlePercent: number;
  readonly deletedSeconds: number;
  readonly deletedCpuSeconds: number;
}

export interface ClusterSize {
  readonly deployments: number;
  /** Of each. */
  readonly replicas: number;
  readonly nodes: number;
  /** How long the idle cluster is looked at. */
  readonly idleMs: number;
}

export async function measureCluster(size: ClusterSize): Promise<ClusterFigures> {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-cluster-'));
  const program = path.join(root, 'dist/binnacle.js');
  const args = [program, 'up', '--data-dir', dir, '--secure-port', '0', '--simulated-nodes', String(size.nodes)];
  const server = await ListeningProcess.start(args, /ready at (https:\/\/\S+)\s/);
  const cluster = {
    server: new URL(server.address),
    insecureSkipTlsVerify: true,
    credentials: { token: readFileSync(path.join(dir, 'admin-token'), 'utf8').trim() },
  };
  const client = new RestClient(cluster, { qps: -1 });
  const other = new RestClient(cluster, { qps: -1 });
  try {
    await until(async () => (await client.list(serviceAccounts, { namespace: NAMESPACE })).items.length > 0);
    return await measure({ client, other, pid: server.pid }, size);
  } finally {
    client.close();
    other.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Measured {
  readonly client: RestClient;
  /** With connections of its own. */
  readonly other: RestClient;
  readonly pid: number;
}

async function measure({ client, other, pid }: Measured, size: ClusterSize): Promise<ClusterFigures> {
  const { deployments: count, replicas, idleMs } = size;
  const lap = (): (() => { seconds: number; cpuSeconds: number }) => {
    const [startMs, cpu] = [performance.now(), cpuOfThreads(pid)];
    return () => ({
      seconds: (performance.now() - startMs) / 1000,
      cpuSeconds: cpuMicrosBetween(cpu, cpuOfThreads(pid)) / 1e6,
    });
  };
  const names = Array.from({ length: count }, (_, i) => `web-${i}`);
  await sleep(idleMs / 2);
  const restingP99Ms = await GetTimes.within(other, idleMs);
  const gets = new GetTimes(other);
  const toReady = lap();
  await Promise.all(names.map((name) => client.create(deployments, deployment(name, replicas))));
  await until(async () => (await readyReplicas(client)) === count * replicas);
  const ready = toReady();
  const readyMegabytes = memoryBytes(pid).resident / 1e6;
  const p99Ms = await gets.stop();
  await sleep(idleMs / 2);
  const toIdle = lap();
  await sleep(idleMs);
  const idle = toIdle();
  const toDeleted = lap();
  await Promise.all(names.map((name) => client.delete(deployments, { namespace: NAMESPACE, name })));
  await until(async () => (await client.list(pods, { limit: 1 })).items.length === 0);
  const deleted = toDeleted();
  return {
    readySeconds: ready.seconds,
    readyCpuSeconds: ready.cpuSeconds,
    readyMegabytes,
    p99Ms,
    restingP99Ms,
    idlePercent: (idle.cpuSeconds / idle.seconds) * 100,
    deletedSeconds: deleted.seconds,
    deletedCpuSeconds: deleted.cpuSeconds,
  };
}

/** Gets of one object, twenty a second, until `stop`. */
class GetTimes {
  private readonly times: number[] = [];
  private readonly running: Promise<void>;
  private stopped = false;

  constructor(client: RestClient) {
    this.running = this.run(client);
  }

  static async within(client: RestClient, ms: number): Promise<number> {
    const gets = new GetTimes(client);
    await sleep(ms);
    return gets.stop();
  }

  /** The 99th percentile, in milliseconds. */
  async stop(): Promise<number> {
    this.stopped = true;
    await this.running;
    const sorted = this.times.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  }

  private async run(client: RestClient): Promise<void> {
    while (!this.stopped) {
      const startMs = performance.now();
      await client.get(namespaces, { name: NAMESPACE });
      this.times.push(performance.now() - startMs);
      await sleep(50);
    }
  }
}

async function readyReplicas(client: RestClient): Promise<number> {
  const { items } = await client.list(deployments, { namespace: NAMESPACE });
  return items.reduce((sum, { status }) => sum + (status.readyReplicas ?? 0), 0);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; !(await holds()); await sleep(POLL_MS))
    if (performance.now() > end) throw new Error('the cluster did not get there in time');
}

function deployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const resources = { requests: { cpu: '100m', memory: '64Mi' } };
  return {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas,
      strategy: {},
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1', resources }] } },
    },
    status: {},
  };
}

if (process.argv[1] === import.meta.filename) {
  const [count = 100, replicas = 50, nodes = 60] = process.argv.slice(2).map(Number);
  const figures = await measureCluster({ deployments: count, replicas, nodes, idleMs: 10_000 });
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(20)} ${value.toFixed(2)}\n`);
}
