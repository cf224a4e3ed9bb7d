import type { Endpoints, Service } from '../../generated/types/core-v1.ts';
import type { EndpointSlice } from '../../generated/types/discovery-v1.ts';
import { type SliceChanges, type SliceWrites, writeChanges } from '../service-endpoints/slice-changes.ts';
import { mirrorChanges } from './mirrored-slices.ts';

const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

export interface MirrorSteps {
  readonly service: Service | undefined;
  readonly existing: () => readonly EndpointSlice[];
  readonly writes: SliceWrites;
  readonly endpointsMax: number;
  /** The slices were written; so many addresses were left out. */
  readonly synced: (existing: readonly EndpointSlice[], changes: SliceChanges, left: number) => void;
  readonly warn: (reason: string, note: string) => void;
}

/** Endpoints that a user or another program writes, for a service without selector, are shown as slices too. */
export async function reconcile(endpoints: Endpoints | undefined, steps: MirrorSteps): Promise<void> {
  const { service, existing, writes, endpointsMax, synced, warn } = steps;
  if (endpoints === undefined || !isMirrored(endpoints) || service === undefined || service.spec.selector !== undefined)
    return void (await Promise.all(existing().map((slice) => writes.remove(slice))));
  const slices = existing();
  const { changes, invalid, skipped } = mirrorChanges(endpoints, slices, endpointsMax);
  if (invalid > 0) warn('InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
  if (skipped > 0) {
    const most = `A max of ${endpointsMax} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
    warn('TooManyAddressesToMirror', `${most} ${skipped + invalid} addresses were skipped`);
  }
  const subject = `Endpoints ${endpoints.metadata.namespace}/${endpoints.metadata.name}`;
  await writeChanges(changes, endpoints, writes, { subject });
  synced(slices, changes, invalid + skipped);
}

function isMirrored({ metadata }: Endpoints): boolean {
  return metadata.labels?.[SKIP_MIRROR] !== 'true' && metadata.annotations?.[LEADER] === undefined;
}
