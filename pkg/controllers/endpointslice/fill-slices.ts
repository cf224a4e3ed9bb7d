import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { Endpoint, EndpointSlice } from '../../generated/types/discovery-v1.ts';
import { noChanges, type SliceChanges } from '../service-endpoints/slice-changes.ts';
import { endpointKey } from './desired-endpoints.ts';

export interface SliceForm {
  /** A new slice without endpoints. */
  readonly newSlice: () => EndpointSlice;
  readonly labels: Readonly<Record<string, string>>;
  readonly endpointsMax: number;
}

interface Filled {
  readonly slice: EndpointSlice;
  readonly endpoints: Endpoint[];
}

/**
 * Spreads the endpoints of one group over its slices by few writes: endpoints stay where they are, slices that change
 * anyway are filled first, then one that has room for all that is left, then new ones.
 */
export function fillSlices(
  existing: readonly EndpointSlice[],
  desired: ReadonlyMap<string, Endpoint>,
  { newSlice, labels, endpointsMax }: SliceForm,
): SliceChanges {
  const left = new Map(desired);
  const changes = noChanges();
  const changed: Filled[] = [];
  const unchanged: Filled[] = [];
  for (const slice of existing) {
    const present = slice.endpoints ?? [];
    const kept = takeKept(present, left);
    const isEqual = kept.length === present.length && kept.every((endpoint, i) => isSame(endpoint, present[i]!));
    if (isEqual && semanticDeepEqual(slice.metadata.labels ?? {}, labels)) unchanged.push({ slice, endpoints: kept });
    else if (kept.length === 0 && !isEqual) changes.remove.push(slice);
    else changed.push({ slice, endpoints: kept });
  }
  const waiting = [...left.values()];
  for (const { endpoints } of changed.toSorted((a, b) => b.endpoints.length - a.endpoints.length))
    endpoints.push(...waiting.splice(0, endpointsMax - endpoints.length));
  const roomy = unchanged
    .filter(({ endpoints }) => waiting.length > 0 && endpoints.length + waiting.length <= endpointsMax)
    .sort((a, b) => b.endpoints.length - a.endpoints.length)[0];
  if (roomy !== undefined && waiting.length < endpointsMax) {
    roomy.endpoints.push(...waiting.splice(0));
    changed.push(roomy);
  }
  while (waiting.length > 0) changes.create.push({ ...newSlice(), endpoints: waiting.splice(0, endpointsMax) });
  for (const { slice, endpoints } of changed)
    changes.update.push({ ...slice, metadata: { ...slice.metadata, labels: { ...labels } }, endpoints });
  return changes;
}

/** Takes those out of `left` that the slice has, in its order. */
function takeKept(present: readonly Endpoint[], left: Map<string, Endpoint>): Endpoint[] {
  const kept: Endpoint[] = [];
  for (const endpoint of present) {
    const key = endpointKey(endpoint);
    const wanted = left.get(key);
    if (wanted === undefined) continue;
    kept.push(wanted);
    left.delete(key);
  }
  return kept;
}

/** Hints are compared when they are known, after this. */
function isSame({ hints: _, ...a }: Endpoint, { hints: __, ...b }: Endpoint): boolean {
  return semanticDeepEqual(a, b);
}
