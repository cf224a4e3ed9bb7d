import { timedSeconds } from './bench-plan.ts';
import type { FiguresByRow } from './figures.ts';
import { rows } from './rows.ts';
import { startFloorServer } from './servers/floor-server.ts';
import type { SystemRun } from './system-run.ts';

/** Measures the floor for rows that a system has figures for, with answers of the size that the system gave. */
export async function measureFloor(dir: string, observed: FiguresByRow, run: SystemRun): Promise<void> {
  const sizes: Record<string, number> = {};
  for (const row of rows) {
    const seen = observed[row.name];
    if (row.kind === 'throughput' && row.floor && seen?.kind === 'throughput')
      sizes[row.name] = Math.round(seen.bytesPerOperation);
  }
  const server = await startFloorServer(dir, sizes);
  try {
    for (const row of rows) {
      if (row.kind !== 'throughput' || !Object.hasOwn(sizes, row.name)) continue;
      const connections = row.isLarge === true ? run.plan.listConnections : run.plan.connections;
      await run.throughput(row.name, () =>
        run.client.run({
          kind: 'floor',
          endpoint: server.endpoint,
          serverPid: server.pid,
          connections,
          path: `/${row.name}`,
          isCreate: row.name === 'create',
          seconds: timedSeconds(run.plan),
        }),
      );
    }
  } finally {
    await server.stop();
  }
}
