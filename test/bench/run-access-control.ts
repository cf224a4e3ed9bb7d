import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import type { BenchOptions } from './bench-options.ts';
import { benchPlan } from './bench-plan.ts';
import { ClientProcess } from './client/client-process.ts';
import { compareAccessControl, type ComparedRows } from './compare-access-control.ts';
import { machine, type Machine } from './machine.ts';
import type { BenchSizes, Cleanup } from './run-bench.ts';
import { killListeningProcesses } from './servers/listening-process.ts';
import type { Progress } from './system-run.ts';

/** What authorization, audit and admission cost, by store. */
export interface AccessControlResults {
  readonly date: string;
  readonly machine: Machine;
  readonly sizes: BenchSizes;
  /** The sides are two programs. */
  readonly programs: boolean;
  readonly stores: readonly { readonly name: string; readonly rows: ComparedRows }[];
}

/** Compares servers with and without access control, or two programs, on every chosen store. */
export async function runAccessControl(
  options: BenchOptions,
  cleanup: Cleanup,
  progress: Progress,
): Promise<AccessControlResults> {
  const { rows, ...sizes } = benchPlan(options);
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-bench-'));
  cleanup.push(() => rmSync(dir, { recursive: true, force: true }));
  cleanup.push(killListeningProcesses);
  const stores: { name: string; rows: ComparedRows }[] = [];
  for (const name of options.stores) {
    const etcd = name === 'etcd' ? await EtcdServer.start() : undefined;
    if (etcd !== undefined) cleanup.push(() => etcd.stop());
    const client = new ClientProcess();
    cleanup.push(() => client.stop());
    const sides = { program: options.program, before: options.before, dir: path.join(dir, name), etcd };
    stores.push({
      name,
      rows: await compareAccessControl(sides, { rows, ...sizes }, client, (line) =>
        progress(`${name}, side by side: ${line}`),
      ),
    });
    await client.stop();
    await etcd?.stop();
  }
  return { date: new Date().toISOString(), machine: machine(), sizes, programs: options.before !== undefined, stores };
}
