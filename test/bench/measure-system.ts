import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPlan } from './bench-plan.ts';
import { measureClusters } from './cluster/measure-cluster.ts';
import { expectStatus } from './client/expect-status.ts';
import { HttpConnection } from './client/http-connection.ts';
import { requestRowNames, type RequestRowName } from './client/job.ts';
import { acceptProtobuf, podProtobufBytesMin } from './client/request-operations.ts';
import { measureNodeWatch } from './measure-node-watch.ts';
import { clearPods, clearWorkload, prepareNamespaces } from './prepare.ts';
import { BYTES_PER_MB, memoryBytes, resetPeak, residentMegabytes } from './process-usage.ts';
import { createJob, timedJob, type TimedRowName } from './row-jobs.ts';
import { rows, type RowName } from './rows.ts';
import type { RunningServer, ServerUnderTest } from './servers/server-under-test.ts';
import type { SystemRun } from './system-run.ts';
import { namespaces } from './workload/names.ts';

/** The rows that are measured on a server that was started on a grown store. */
const restartRows: readonly RowName[] = [
  'ready-restart',
  'memory-restart',
  'list-cold-json',
  'memory-cold',
  'list-cold-protobuf',
];
/** The rows between whose first and last the highest memory is taken. */
const listRows: readonly RequestRowName[] = [
  'list-json',
  'list-json-rv0',
  'list-protobuf-rv0',
  'list-label',
  'table-chunk',
];

/**
 * Runs all chosen rows on a server, in the order of the table, which matters to memory. Its processes are stopped at
 * the end.
 */
export async function measureSystem(system: ServerUnderTest, run: SystemRun): Promise<void> {
  if (system.canRestart) await run.gauge('up-ready', () => medianStart(system, run.plan.emptyStarts));
  await measureClusters(system, run);
  const needsPods = rows.some(({ name }) => name !== 'up-ready' && !name.startsWith('cluster-') && run.wants(name));
  if (!needsPods) return;
  const server = await system.start();
  try {
    await prepareNamespaces(server.endpoint);
    await createPods(server, run);
    await runRequestRows(server, run);
    await runTimed('fan-out', server, run);
    await readMemory(server, run, 'memory', 'memory-anonymous');
    await runTimed('watch-paced', server, run);
    await runTimed('watch-few', server, run);
    await measureNodeWatch(server, run);
    if (system.canRestart && run.wants(...restartRows)) await growStore(server, run);
  } finally {
    // What we did not start goes on, without what we put there.
    if (!system.canRestart) await clearWorkload(server.endpoint);
    await server.stop();
  }
  if (system.canRestart && run.wants(...restartRows)) await measureRestarts(system, run);
}

async function medianStart(system: ServerUnderTest, starts: number): Promise<number> {
  const seconds: number[] = [];
  for (let n = 0; n < starts; n++) {
    const server = await system.startEmpty();
    await server.stop();
    seconds.push(server.readySeconds ?? Number.NaN);
  }
  return seconds.sort((a, b) => a - b)[Math.floor(starts / 2)]!;
}

/** The pods that all other rows need; made, and measured, in any case. */
async function createPods(server: RunningServer, run: SystemRun): Promise<void> {
  const { client, plan } = run;
  await client.run(createJob(namespaces.warmUp, Math.ceil(plan.pods / 4), server, plan));
  await clearPods(server.endpoint, namespaces.warmUp);
  const create = () => client.run(createJob(namespaces.pods, plan.pods, server, plan));
  if (run.wants('create')) await run.throughput('create', create);
  else await create();
}

async function runRequestRows(server: RunningServer, run: SystemRun): Promise<void> {
  for (const row of requestRowNames) {
    if (row === listRows[0] && server.pid !== undefined) resetPeak(server.pid);
    await runTimed(row, server, run);
    if (row === listRows.at(-1) && server.pid !== undefined)
      await run.gauge('memory-peak', () => memoryBytes(server.pid!).peak / BYTES_PER_MB);
  }
}

async function runTimed(row: TimedRowName, server: RunningServer, run: SystemRun): Promise<void> {
  await run.throughput(row, () => run.client.run(timedJob(row, server, run.plan)));
}

/** `anonymous`: a row for what of it is no page of a file. */
async function readMemory(server: RunningServer, run: SystemRun, row: RowName, anonymous?: RowName): Promise<void> {
  const { pid } = server;
  if (pid === undefined || !run.wants(row)) return;
  await sleep(run.plan.settleMs);
  await run.gauge(row, () => residentMegabytes(pid));
  if (anonymous !== undefined) await run.gauge(anonymous, () => memoryBytes(pid).anonymous / BYTES_PER_MB);
}

async function growStore(server: RunningServer, run: SystemRun): Promise<void> {
  const count = run.plan.podsAtRestart - run.plan.pods;
  await run.client.run(createJob(namespaces.more, count, server, run.plan));
}

async function measureRestarts(system: ServerUnderTest, run: SystemRun): Promise<void> {
  await measureRestart(system, run);
  if (!run.wants('list-cold-protobuf')) return;
  const server = await system.start();
  try {
    await run.gauge('list-cold-protobuf', () => secondsOfFirstList(server, run.plan, acceptProtobuf));
  } finally {
    await server.stop();
  }
}

/** Of a list of every pod, none of which the server has decoded or encoded since it started. */
async function secondsOfFirstList({ endpoint }: RunningServer, plan: BenchPlan, headers: string): Promise<number> {
  const connection = await HttpConnection.open(endpoint);
  try {
    const startedAt = performance.now();
    const { bytes } = expectStatus(await connection.request('GET', '/api/v1/pods', headers), 200, 'list all pods');
    const seconds = (performance.now() - startedAt) / 1000;
    if (bytes < plan.podsAtRestart * podProtobufBytesMin) throw new Error(`all pods have ${bytes} bytes, too few`);
    return seconds;
  } finally {
    connection.close();
  }
}

async function measureRestart(system: ServerUnderTest, run: SystemRun): Promise<void> {
  const server = await system.start();
  try {
    await run.gauge('ready-restart', () => server.readySeconds ?? Number.NaN);
    await readMemory(server, run, 'memory-restart');
    if (!run.wants('list-cold-json', 'memory-cold')) return;
    const seconds = await secondsOfFirstList(server, run.plan, '');
    await run.gauge('list-cold-json', () => seconds);
    await readMemory(server, run, 'memory-cold');
  } finally {
    await server.stop();
  }
}
