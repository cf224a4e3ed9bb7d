import type { ComparedRows } from './compare-access-control.ts';
import { rows } from './rows.ts';
import type { AccessControlResults } from './run-access-control.ts';
import { table, time } from './text-table.ts';

/** A table for each store: CPU per operation on both sides, and the loss. */
export function accessControlReport(results: AccessControlResults): string {
  const { machine, sizes } = results;
  const lines = [
    `${machine.cores} x ${machine.cpu}, Node ${machine.node}; ${sizes.pods} pods, ${sizes.connections} connections (${sizes.listConnections} where everything is listed)`,
    `CPU per operation ${results.programs ? 'of the program before and of this one' : 'without authorization, audit and admission plugins, and with them'}; ${sizes.starts} starts, in each turns of ${sizes.turnSeconds} s for ${sizes.seconds} s`,
  ];
  const sides = results.programs ? ['before', 'now'] : ['without', 'with'];
  for (const store of results.stores)
    lines.push(
      '',
      store.name,
      ...table([['row', ...sides, 'loss', 'half of the turns', 'turns'], ...storeLines(store.rows)]),
    );
  return `${lines.join('\n')}\n`;
}

function storeLines(compared: ComparedRows): string[][] {
  return rows.flatMap(({ name, title }) => {
    const row = compared[name];
    if (row === undefined) return [];
    if ('error' in row) return [[title, `FAILED: ${row.error.split('\n')[0]}`]];
    return [
      [
        title,
        time(row.withoutMicros),
        time(row.withMicros),
        percent(row.lossPercent),
        row.lossPercentOfHalf.map(percent).join(' to '),
        `${row.turns}`,
      ],
    ];
  });
}

function percent(value: number): string {
  return `${value.toFixed(1)}%`;
}
