import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import type { Endpoint, EndpointHints, EndpointSlice } from '../../generated/types/discovery-v1.ts';
import type { SliceChanges } from '../service-endpoints/slice-changes.ts';

/** The values of `trafficDistribution` by which endpoints get hints. */
export const hintedDistributions: ReadonlySet<string> = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);

/** Endpoints get the hints of the service's `trafficDistribution`, also in slices that would stay as they are. */
export function withHints({ spec }: Service, changes: SliceChanges, existing: readonly EndpointSlice[]): SliceChanges {
  return hinted(changes, existing, (endpoint) => hintsOf(endpoint, spec.trafficDistribution));
}

export function withoutHints(changes: SliceChanges, existing: readonly EndpointSlice[]): SliceChanges {
  return hinted(changes, existing, () => undefined);
}

/** Slices that are neither updated nor removed. */
export function unchangedSlices(
  { update, remove }: SliceChanges,
  existing: readonly EndpointSlice[],
): readonly EndpointSlice[] {
  const written = new Set([...update, ...remove].map(({ metadata }) => metadata.uid));
  return existing.filter(({ metadata }) => !written.has(metadata.uid));
}

function hinted(
  changes: SliceChanges,
  existing: readonly EndpointSlice[],
  wanted: (endpoint: Endpoint) => EndpointHints | undefined,
): SliceChanges {
  const withWanted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map(({ hints: _, ...endpoint }) => {
      const hints = endpoint.conditions?.ready === true ? wanted(endpoint) : undefined;
      return hints === undefined ? endpoint : { ...endpoint, hints };
    }),
  });
  const late = unchangedSlices(changes, existing).flatMap((slice) => {
    const changed = withWanted(slice);
    return semanticDeepEqual(changed.endpoints, slice.endpoints ?? []) ? [] : [changed];
  });
  return {
    create: changes.create.map(withWanted),
    update: [...changes.update.map(withWanted), ...late],
    remove: changes.remove,
  };
}

function hintsOf({ zone, nodeName }: Endpoint, distribution: string | undefined): EndpointHints | undefined {
  if (!hintedDistributions.has(distribution ?? '')) return undefined;
  const forZones = zone === undefined ? undefined : [{ name: zone }];
  const forNodes = nodeName === undefined || distribution !== 'PreferSameNode' ? undefined : [{ name: nodeName }];
  if (forZones === undefined && forNodes === undefined) return undefined;
  return { ...(forZones && { forZones }), ...(forNodes && { forNodes }) };
}
