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
 * anyway are filled first, then new ones; what does not fill a slice goes into one that has room for all of it.
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
  while (waiting.length > 0) {
    const roomy = waiting.length < endpointsMax ? fullestWithRoom(unchanged, endpointsMax - waiting.length) : undefined;
    if (roomy === undefined) changes.create.push({ ...newSlice(), endpoints: waiting.splice(0, endpointsMax) });
    else {
      roomy.endpoints.push(...waiting.splice(0));
      changed.push(roomy);
    }
  }
  for (const { slice, endpoints } of changed)
    changes.update.push({ ...slice, metadata: { ...slice.metadata, labels: { ...labels } }, endpoints });
  return changes;
}

/** The slice with most endpoints of those that have no more than so many. */
function fullestWithRoom(slices: readonly Filled[], lengthMax: number): Filled | undefined {
  return slices
    .filter(({ endpoints }) => endpoints.length <= lengthMax)
    .sort((a, b) => b.endpoints.length - a.endpoints.length)[0];
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
