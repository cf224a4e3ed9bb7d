import { timedSeconds } from './bench-plan.ts';
import type { FiguresByRow } from './figures.ts';
import { measureNodeWatch } from './measure-node-watch.ts';
import { timedJob } from './row-jobs.ts';
import { rows, type RowName } from './rows.ts';
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
  const server = await startFloorServer(dir, sizes, run.plan.nodePods);
  try {
    for (const row of rows) {
      if (row.kind !== 'throughput' || !Object.hasOwn(sizes, row.name) || isWatched(row.name)) continue;
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
    await run.throughput('watch-few', () => run.client.run(timedJob('watch-few', server, run.plan)));
    await measureNodeWatch(server, run);
  } finally {
    await server.stop();
  }
}

/** Rows that the floor is measured on with the jobs of the system itself. */
function isWatched(row: RowName): boolean {
  return row === 'watch-few' || row === 'watch-nodes';
}
