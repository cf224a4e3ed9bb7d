import { tolerates } from '../../api/core/pod-spec/tolerates.ts';
import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '../../generated/types/resource-v1.ts';

const EVICTS = 'NoExecute';

/** Gives the taints of a device. */
export type TaintsOf = (
  device: Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>,
) => readonly DeviceTaint[];

/**
 * When the pods of a claim have to go, in milliseconds since 1970; undefined: they stay. The time of a toleration runs
 * from when the taint was added.
 */
export function evictionTime({ status }: ResourceClaim, taintsOf: TaintsOf): number | undefined {
  let earliest: number | undefined;
  for (const result of status?.allocation?.devices?.results ?? []) {
    for (const taint of taintsOf(result)) {
      const atMs = timeOf(taint, result.tolerations ?? []);
      if (atMs !== undefined && (earliest === undefined || atMs < earliest)) earliest = atMs;
    }
  }
  return earliest;
}

function timeOf(taint: DeviceTaint, tolerations: readonly DeviceToleration[]): number | undefined {
  if (taint.effect !== EVICTS) return undefined;
  const addedMs = Date.parse(taint.timeAdded ?? '') || 0;
  const matching = tolerations.filter((toleration) => tolerates(toleration, taint));
  if (matching.length === 0) return addedMs;
  const seconds = matching.map(({ tolerationSeconds }) => tolerationSeconds);
  // One without an end is enough.
  if (seconds.includes(undefined)) return undefined;
  return addedMs + Math.max(0, Math.min(...seconds.map(Number))) * 1000;
}

/** The taints of a device, by the slices of its pool: only those of the newest generation count. */
export function deviceTaints(slices: readonly ResourceSlice[], device: string): readonly DeviceTaint[] {
  const generation = Math.max(...slices.map(({ spec }) => Number(spec.pool.generation)));
  for (const { spec } of slices) {
    if (Number(spec.pool.generation) !== generation) continue;
    const found = spec.devices?.find(({ name }) => name === device);
    if (found !== undefined) return found.taints ?? [];
  }
  return [];
}

export function hasEvictingTaint({ spec }: ResourceSlice): boolean {
  return spec.devices?.some(({ taints }) => taints?.some(({ effect }) => effect === EVICTS)) === true;
}
