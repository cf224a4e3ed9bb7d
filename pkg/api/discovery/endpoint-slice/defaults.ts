import type { EndpointSlice } from '../../../generated/types/discovery-v1.ts';

/** Both versions: the defaults of ports are an empty name and TCP. */
export function setEndpointSliceDefaults(slice: Pick<EndpointSlice, 'ports'>): void {
  for (const port of slice.ports ?? []) {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }
}
