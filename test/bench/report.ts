import type { Figures, ThroughputFigures } from './figures.ts';
import { rows, type GaugeRow, type Row, type StockFigures, type ThroughputRow } from './rows.ts';
import type { BenchResults } from './run-bench.ts';
import { number, table, time } from './text-table.ts';

/** Above this part of a core the client, not the server, sets the pace. */
const clientBusyShare = 0.9;

/** The tables that a person reads: for each system one of throughput and one of single numbers. */
export function report(results: BenchResults): string {
  const { machine, sizes } = results;
  const lines = [
    `${machine.cores} x ${machine.cpu}, Node ${machine.node}; ${sizes.pods} pods, ${sizes.connections} connections (${sizes.listConnections} where everything is listed)`,
    `${sizes.fanOutWatchers} watchers in the fan-out, ${sizes.pacedWatchers} at ${sizes.updatesPerSecond} updates/s; ${sizes.podsAtRestart} pods at the restart; ${sizes.seconds} s a row`,
    results.isComparable
      ? '"stock" is a Go API server on another machine of 2 cores'
      : 'not the sizes of the design: nothing to compare the figures with',
  ];
  const stockOf = <T>(stock: T): T | undefined => (results.isComparable ? stock : undefined);
  for (const system of results.systems) {
    const measured = rows.filter((row) => system.figures[row.name] !== undefined);
    const throughputRows = measured
      .filter((row) => row.kind === 'throughput')
      .map((row) => throughputLine(row, system.figures[row.name]!, results.floor[row.name], stockOf(row.stock)));
    const gaugeRows = measured
      .filter((row) => row.kind === 'gauge')
      .map((row) => gaugeLine(row, system.figures[row.name]!, results.floor[row.name], stockOf(row.stock)));
    lines.push(
      '',
      system.name,
      ...table([
        [
          'row',
          'floor/s',
          'floor CPU',
          'stock/s',
          'stock CPU',
          'per s',
          'p50',
          'p99',
          'CPU',
          'per s / stock',
          'stock / CPU',
          'aim',
        ],
        ...throughputRows,
      ]),
    );
    if (gaugeRows.length > 0)
      lines.push('', ...table([['row', 'floor', 'stock', 'measured', 'stock / measured', 'aim'], ...gaugeRows]));
  }
  lines.push('', '* the client used a whole core: the server could do more, its CPU per operation still holds', '');
  return lines.join('\n');
}

function throughputLine(
  row: ThroughputRow & Row,
  figures: Figures,
  floor: Figures | undefined,
  stock: StockFigures | undefined,
): string[] {
  if (figures.kind !== 'throughput') return failedLine(row, figures);
  return [
    row.title,
    ...floorCells(floor),
    number(stock?.perSecond),
    time(stock?.cpuMicros),
    perSecond(figures),
    time(figures.p50Ms * 1000),
    time(figures.p99Ms * 1000),
    time(figures.cpuMicros),
    ratio(figures.perSecond, stock?.perSecond),
    ratio(stock?.cpuMicros, figures.cpuMicros),
    row.aim,
  ];
}

function floorCells(floor: Figures | undefined): [string, string] {
  return floor?.kind === 'throughput' ? [perSecond(floor), time(floor.cpuMicros)] : ['-', '-'];
}

function perSecond(figures: ThroughputFigures): string {
  return number(figures.perSecond) + (figures.clientCpuShare > clientBusyShare ? '*' : '');
}

const decimals: Readonly<Record<GaugeRow['unit'], number>> = { MB: 0, s: 2, ms: 0, µs: 0, '%': 1 };

function gaugeLine(
  row: GaugeRow & Row,
  figures: Figures,
  floor: Figures | undefined,
  stock: number | undefined,
): string[] {
  if (figures.kind !== 'gauge') return failedLine(row, figures);
  const show = (value: number | undefined): string =>
    value === undefined ? '-' : `${value.toFixed(decimals[row.unit])} ${row.unit}`;
  const ofFloor = floor?.kind === 'gauge' ? floor.value : undefined;
  return [row.title, show(ofFloor), show(stock), show(figures.value), ratio(stock, figures.value), row.aim];
}

function failedLine(row: Row, figures: Figures): string[] {
  return [row.title, figures.kind === 'failed' ? `FAILED: ${figures.error.split('\n')[0]}` : '-'];
}

function ratio(over: number | undefined, under: number | undefined): string {
  return over === undefined || under === undefined || under === 0 ? '-' : `${(over / under).toFixed(1)}x`;
}
