import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import type { Endpoint, EndpointHints, EndpointSlice } from '../../generated/types/discovery-v1.ts';
import type { SliceChanges } from '../service-endpoints/slice-changes.ts';

/** Gives every endpoint the hints that the service asks for, also in slices that would stay as they are. */
export function withHints(service: Service, changes: SliceChanges, existing: readonly EndpointSlice[]): SliceChanges {
  const { trafficDistribution } = service.spec;
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => withHintsOf(endpoint, trafficDistribution)),
  });
  const written = new Set([...changes.update, ...changes.remove].map(({ metadata }) => metadata.uid));
  const late = existing
    .filter(({ metadata }) => !written.has(metadata.uid))
    .flatMap((slice) => {
      const wanted = hinted(slice);
      return semanticDeepEqual(wanted.endpoints, slice.endpoints ?? []) ? [] : [wanted];
    });
  return {
    create: changes.create.map(hinted),
    update: [...changes.update.map(hinted), ...late],
    remove: changes.remove,
  };
}

function withHintsOf({ hints: _, ...endpoint }: Endpoint, distribution: string | undefined): Endpoint {
  const hints = endpoint.conditions.ready === true ? hintsOf(endpoint, distribution) : undefined;
  return hints === undefined ? endpoint : { ...endpoint, hints };
}

function hintsOf({ zone, nodeName }: Endpoint, distribution: string | undefined): EndpointHints | undefined {
  if (zone === undefined) return undefined;
  switch (distribution) {
    case 'PreferClose':
    case 'PreferSameZone':
      return { forZones: [{ name: zone }] };
    case 'PreferSameNode':
      return { forZones: [{ name: zone }], ...(nodeName === undefined ? {} : { forNodes: [{ name: nodeName }] }) };
    default:
      return undefined;
  }
}
