import type { BenchPlan } from './bench-plan.ts';
import type { ClientProcess } from './client/client-process.ts';
import type { Job } from './client/job.ts';
import type { Measurement } from './figures.ts';
import { clearPods } from './prepare.ts';
import { createJob, timedJob, timedRowNames, type TimedRowName } from './row-jobs.ts';
import type { RowName } from './rows.ts';
import type { RunningServer } from './servers/server-under-test.ts';
import {
  sideNames,
  startSide,
  type RunningSide,
  type SideName,
  type SideOptions,
} from './servers/access-control-sides.ts';
import type { Progress } from './system-run.ts';
import { namespaces } from './workload/names.ts';

/** CPU per operation of the two sides, microseconds, over all their turns. */
export interface ComparedRow {
  readonly withoutMicros: number;
  readonly withMicros: number;
  /** What the side with access control spends more, in percent of the other one: the median of the turns. */
  readonly lossPercent: number;
  /** Between which losses the middle half of the turns lies. */
  readonly lossPercentOfHalf: readonly [lower: number, upper: number];
  readonly turns: number;
}

export type ComparedRows = Partial<Record<RowName, ComparedRow | { readonly error: string }>>;

type Sides = Readonly<Record<SideName, RunningSide>>;

/**
 * Measures the chosen rows on a server without access control and on one with it. Both run all the time and take many
 * short turns at each row, first one then the other one going first: the speed of a shared machine changes within a
 * second, and each turn is to see the same one on both sides. All of it is done several times, on new processes.
 */
export async function compareAccessControl(
  options: SideOptions,
  plan: BenchPlan,
  client: ClientProcess,
  progress: Progress,
): Promise<ComparedRows> {
  const turns: TurnsOfRows = new Map();
  const failures: ComparedRows = {};
  for (let start = 1; start <= plan.starts; start++) {
    const started: Partial<Record<SideName, RunningSide>> = {};
    try {
      for (const name of sideNames) started[name] = await startSide(name, start, options);
      await compareRows(started as Sides, plan, client, {
        turns,
        failures,
        progress: (line) => progress(`start ${start}: ${line}`),
      });
    } finally {
      for (const server of Object.values(started)) await server.stop();
    }
  }
  return { ...Object.fromEntries([...turns].map(([row, all]) => [row, comparedRow(all)])), ...failures };
}

/** One measurement of each side. */
type Turn = Readonly<Record<SideName, Measurement>>;
type TurnsOfRows = Map<RowName, Turn[]>;

interface Findings {
  readonly turns: TurnsOfRows;
  readonly failures: ComparedRows;
  readonly progress: Progress;
}

async function compareRows(
  sides: Sides,
  plan: BenchPlan,
  client: ClientProcess,
  { turns, failures, progress }: Findings,
): Promise<void> {
  const compare = async (
    row: RowName,
    rowTurns: Turns,
    measure: (server: RunningSide) => Promise<Measurement>,
  ): Promise<void> => {
    if (!plan.rows.has(row) || failures[row] !== undefined) return;
    progress(row);
    try {
      turns.set(row, [...(turns.get(row) ?? []), ...(await takeTurns(sides, rowTurns, measure))]);
    } catch (error) {
      failures[row] = { error: (error as Error).message };
      progress(`${row} failed: ${(error as Error).message}`);
    }
  };
  const run = (job: Job): Promise<Measurement> => client.run(job);
  const create = async (server: RunningServer): Promise<Measurement> => {
    await clearPods(server.endpoint, namespaces.pods);
    return run(createJob(namespaces.pods, plan.pods, server, plan));
  };
  for (const name of sideNames) await create(sides[name]);
  await compare('create', { count: CREATE_TURNS, warmUp: plan.warmUp.createTurns }, create);
  for (const row of timedRowNames) {
    const { seconds, ...turns } = timedTurns(row, plan);
    await compare(row, turns, (server) => run(timedJob(row, sideFor(row, server), { ...plan, seconds })));
  }
}

/**
 * A write of what many watch holds seats of its user's priority level until they have it: beside hundreds of watches
 * that one user opens, seats would set the pace, or requests be refused. Deliveries are what these rows measure.
 */
function sideFor(row: TimedRowName, side: RunningSide): RunningServer {
  return watching.has(row) ? { ...side, endpoint: side.administrator } : side;
}

/** Turns that count, and those before them in which everything is compiled. */
interface Turns {
  readonly count: number;
  readonly warmUp: number;
}

/** A turn makes all of the pods. */
const CREATE_TURNS = 5;
const watching: ReadonlySet<TimedRowName> = new Set<TimedRowName>(['fan-out', 'watch-paced', 'watch-few']);
const writing: ReadonlySet<TimedRowName> = new Set<TimedRowName>(['merge-patch', 'json-patch', 'get-replace']);

/**
 * Turns of a row that is measured for a time. Watches are opened again in each turn, which takes longer than a short
 * one.
 */
function timedTurns(
  row: TimedRowName,
  { seconds, turnSeconds, warmUp }: BenchPlan,
): Turns & { readonly seconds: number } {
  if (watching.has(row)) return { count: 2, warmUp: 1, seconds: seconds / 2 };
  const warmUpSeconds = writing.has(row) ? warmUp.writeSeconds : warmUp.readSeconds;
  return {
    count: Math.max(1, Math.round(seconds / turnSeconds)),
    warmUp: Math.ceil(warmUpSeconds / turnSeconds),
    seconds: turnSeconds,
  };
}

async function takeTurns(
  sides: Sides,
  { count, warmUp }: Turns,
  measure: (server: RunningSide) => Promise<Measurement>,
): Promise<Turn[]> {
  const seen: Turn[] = [];
  for (let turn = 0; turn < warmUp + count; turn++) {
    const found: Partial<Record<SideName, Measurement>> = {};
    for (const name of turn % 2 === 0 ? sideNames : sideNames.toReversed()) found[name] = await measure(sides[name]);
    if (turn >= warmUp) seen.push(found as Turn);
  }
  return seen;
}

function comparedRow(turns: readonly Turn[]): ComparedRow {
  const losses = turns
    .map((turn) => (cpuPerOperation([turn.with]) / cpuPerOperation([turn.without]) - 1) * 100)
    .toSorted((a, b) => a - b);
  return {
    withoutMicros: cpuPerOperation(turns.map((turn) => turn.without)),
    withMicros: cpuPerOperation(turns.map((turn) => turn.with)),
    lossPercent: quantile(losses, 0.5),
    lossPercentOfHalf: [quantile(losses, 0.25), quantile(losses, 0.75)],
    turns: turns.length,
  };
}

function cpuPerOperation(measured: readonly Measurement[]): number {
  const sum = (of: (one: Measurement) => number): number => measured.reduce((all, one) => all + of(one), 0);
  return sum((one) => one.serverCpuMicros ?? Number.NaN) / sum(({ operations }) => operations);
}

/** Of values in their order, between two of them by the distance to each. */
function quantile(sorted: readonly number[], part: number): number {
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)]!;
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at));
}
