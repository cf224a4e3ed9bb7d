import type { Endpoints, EndpointSubset } from '../../../generated/types/core-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

const SHOWN_MAX = 3;

export const endpointsTable: TableDefinition<Endpoints> = {
  columns: [
    NAME_COLUMN,
    { name: 'Endpoints', type: 'string', description: 'Ready addresses, each with each port of its subset.' },
    AGE_COLUMN,
  ],
  row: ({ metadata, subsets }, nowMs) => ({
    cells: [
      metadata.name ?? '',
      subsets === undefined ? '<none>' : addressesText(subsets),
      age(metadata.creationTimestamp, nowMs),
    ],
  }),
};

function addressesText(subsets: readonly EndpointSubset[]): string {
  const shown: string[] = [];
  let count = 0;
  for (const { addresses = [], ports } of subsets) {
    const suffixes = ports === undefined ? [''] : ports.map(({ port }) => `:${port}`);
    for (const suffix of suffixes) {
      count += addresses.length;
      for (const { ip } of addresses.slice(0, SHOWN_MAX - shown.length))
        shown.push(suffix !== '' && ip.includes(':') ? `[${ip}]${suffix}` : `${ip}${suffix}`);
    }
  }
  const text = shown.join(',');
  return count > SHOWN_MAX ? `${text} + ${count - SHOWN_MAX} more...` : text;
}
