import type { EndpointSlice } from '../../../generated/types/discovery-v1.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';

const SHOWN_MAX = 3;

export const endpointSliceTable: TableDefinition<EndpointSlice> = {
  columns: [
    NAME_COLUMN,
    { name: 'AddressType', type: 'string', description: 'What the addresses are: IPv4, IPv6 or names.' },
    { name: 'Ports', type: 'string', description: 'Ports that all endpoints answer at.' },
    { name: 'Endpoints', type: 'string', description: 'Addresses of the endpoints.' },
    AGE_COLUMN,
  ],
  row: (slice, nowMs) => ({
    cells: [
      slice.metadata.name ?? '',
      slice.addressType,
      firstFew((slice.ports ?? []).map(({ name, port }) => (port === undefined ? (name ?? '*') : String(port)))),
      firstFew((slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? [])),
      age(slice.metadata.creationTimestamp, nowMs),
    ],
  }),
};

function firstFew(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN_MAX).join(',');
  return texts.length > SHOWN_MAX ? `${shown} + ${texts.length - SHOWN_MAX} more...` : shown || '<unset>';
}
