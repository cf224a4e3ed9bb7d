import type { BenchPlan } from './bench-plan.ts';
import type { ClientProcess } from './client/client-process.ts';
import type { Job } from './client/job.ts';
import type { Measurement } from './figures.ts';
import { clearPods } from './prepare.ts';
import { createJob, timedJob, timedRowNames } from './row-jobs.ts';
import type { RowName } from './rows.ts';
import type { RunningServer } from './servers/server-under-test.ts';
import { sideNames, startSide, type SideName, type SideOptions } from './servers/front-door-sides.ts';
import type { Progress } from './system-run.ts';
import { namespaces } from './workload/names.ts';

/** CPU per operation of the two sides, microseconds, over all their turns. */
export interface ComparedRow {
  readonly withoutMicros: number;
  readonly withMicros: number;
  /** What the side with the front door spends more, in percent of the other one: the median of the turns. */
  readonly lossPercent: number;
  readonly lossPercentOfTurns: readonly number[];
}

export type ComparedRows = Partial<Record<RowName, ComparedRow | { readonly error: string }>>;

type Sides = Readonly<Record<SideName, RunningServer>>;

/**
 * Measures the chosen rows on a server without the front door and on one with it. Both run all the time and take turns at each row, first one then
 * the other one going first, so that both see the same machine.
 */
export async function compareFrontDoor(options: SideOptions, plan: BenchPlan, client: ClientProcess, progress: Progress): Promise<ComparedRows> {
  const started: Partial<Record<SideName, RunningServer>> = {};
  try {
    for (const name of sideNames) started[name] = await startSide(name, options);
    return await compareRows(started as Sides, plan, client, progress);
  } finally {
    for (const server of Object.values(started)) await server.stop();
  }
}

async function compareRows(sides: Sides, plan: BenchPlan, client: ClientProcess, progress: Progress): Promise<ComparedRows> {
  const found: ComparedRows = {};
  const compare = async (row: RowName, measure: (server: RunningServer) => Promise<Measurement>): Promise<void> => {
    if (!plan.rows.has(row)) return;
    progress(row);
    try {
      found[row] = await takeTurns(sides, plan.turns, measure);
    } catch (error) {
      found[row] = { error: (error as Error).message };
      progress(`${row} failed: ${(error as Error).message}`);
    }
  };
  const run = (job: Job): Promise<Measurement> => client.run(job);
  const create = async (server: RunningServer): Promise<Measurement> => {
    await clearPods(server.endpoint, namespaces.pods);
    return run(createJob(namespaces.pods, plan.pods, server, plan));
  };
  for (const name of sideNames) await create(sides[name]);
  await compare('create', create);
  for (const row of timedRowNames) await compare(row, (server) => run(timedJob(row, server, plan)));
  return found;
}

async function takeTurns(sides: Sides, turns: number, measure: (server: RunningServer) => Promise<Measurement>): Promise<ComparedRow> {
  const seen: Record<SideName, Measurement[]> = { without: [], with: [] };
  for (let turn = 0; turn < turns; turn++) {
    for (const name of turn % 2 === 0 ? sideNames : sideNames.toReversed()) seen[name].push(await measure(sides[name]));
  }
  const losses = seen.with.map((one, turn) => (cpuPerOperation([one]) / cpuPerOperation([seen.without[turn]!]) - 1) * 100);
  return { withoutMicros: cpuPerOperation(seen.without), withMicros: cpuPerOperation(seen.with), lossPercent: median(losses), lossPercentOfTurns: losses };
}

function cpuPerOperation(measured: readonly Measurement[]): number {
  const sum = (of: (one: Measurement) => number): number => measured.reduce((all, one) => all + of(one), 0);
  return sum((one) => one.serverCpuMicros ?? Number.NaN) / sum(({ operations }) => operations);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
