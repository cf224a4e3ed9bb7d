import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import type { BenchOptions } from './bench-options.ts';
import { benchPlan, isDesignSize, type BenchPlan } from './bench-plan.ts';
import { ClientProcess } from './client/client-process.ts';
import type { FiguresByRow } from './figures.ts';
import { machine, type Machine } from './machine.ts';
import { measureFloor } from './measure-floor.ts';
import { measureSystem } from './measure-system.ts';
import { Binnacle } from './servers/binnacle.ts';
import { ForeignServer } from './servers/foreign-server.ts';
import { killListeningProcesses } from './servers/listening-process.ts';
import type { ServerUnderTest } from './servers/server-under-test.ts';
import { SystemRun, type Progress } from './system-run.ts';

export interface BenchResults {
  readonly date: string;
  readonly machine: Machine;
  readonly sizes: BenchSizes;
  /** Whether the stock server's figures are for the same sizes. */
  readonly isComparable: boolean;
  readonly floor: FiguresByRow;
  readonly systems: readonly { readonly name: string; readonly figures: FiguresByRow }[];
}

export type BenchSizes = Omit<BenchPlan, 'rows'>;

/** What has to be undone, last first; kept by the caller, who undoes it also when the run is interrupted. */
export type Cleanup = (() => Promise<void> | void)[];

/** Measures every chosen system, then the floor at the sizes that the first system answered with. */
export async function runBench(options: BenchOptions, cleanup: Cleanup, progress: Progress): Promise<BenchResults> {
  const plan = benchPlan(options);
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-bench-'));
  cleanup.push(() => rmSync(dir, { recursive: true, force: true }));
  cleanup.push(killListeningProcesses);
  const systems: { name: string; figures: FiguresByRow }[] = [];
  for (const open of systemsOf(options, dir, cleanup)) {
    const system = await open();
    const figures = await withClient(
      plan,
      cleanup,
      (line) => progress(`${system.name}: ${line}`),
      (run) => measureSystem(system, run),
    );
    await system.release();
    systems.push({ name: system.name, figures });
  }
  const floor = await withClient(
    plan,
    cleanup,
    (line) => progress(`floor: ${line}`),
    (run) => measureFloor(path.join(dir, 'floor'), systems[0]!.figures, run),
  );
  const sizes: BenchSizes & { rows?: unknown } = { ...plan };
  delete sizes.rows;
  return {
    date: new Date().toISOString(),
    machine: machine(),
    sizes,
    isComparable: isDesignSize(plan),
    floor,
    systems,
  };
}

/** Each is opened when its turn comes: an idle etcd would take its part of the machine. */
function systemsOf(options: BenchOptions, dir: string, cleanup: Cleanup): (() => Promise<ServerUnderTest>)[] {
  const { against, program } = options;
  if (against !== undefined) return [() => Promise.resolve(new ForeignServer(against, against.pid))];
  return options.stores.map((name) => async () => {
    const etcd = name === 'etcd' ? await EtcdServer.start() : undefined;
    if (etcd !== undefined) cleanup.push(() => etcd.stop());
    return new Binnacle({ name, program, dir: path.join(dir, name), etcd });
  });
}

/** A new client for each system, so that none gets a warmer one. */
async function withClient(
  plan: BenchPlan,
  cleanup: Cleanup,
  progress: Progress,
  work: (run: SystemRun) => Promise<void>,
): Promise<FiguresByRow> {
  const client = new ClientProcess();
  cleanup.push(() => client.stop());
  const run = new SystemRun(plan, client, progress);
  await work(run);
  await client.stop();
  return run.figures;
}
