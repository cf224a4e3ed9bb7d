import type { EndpointSlice } from '../../../generated/types/discovery-v1.ts';

/** Both versions: ports have an empty name and TCP where the client says nothing. */
export function setEndpointSliceDefaults(slice: Pick<EndpointSlice, 'ports'>): void {
  for (const port of slice.ports ?? []) {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }
}
