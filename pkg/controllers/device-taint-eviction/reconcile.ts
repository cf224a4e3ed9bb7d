import type { Pod } from '../../generated/types/core-v1.ts';
import type { ResourceClaim } from '../../generated/types/resource-v1.ts';
import { hasEnded } from '../owned/pod-state.ts';
import { isReservedFor } from '../resource-claim/claim-names.ts';
import { evictionTime, type TaintsOf } from './eviction-time.ts';

export interface DeviceEvictionSteps {
  readonly pod: (key: string) => Pod | undefined;
  /** The claims of a pod that are there. */
  readonly claimsOf: (pod: Pod) => readonly ResourceClaim[];
  readonly taintsOf: TaintsOf;
  /** `dueMs`: when the pod was to go. */
  readonly evict: (pod: Pod, dueMs: number) => Promise<void>;
  readonly cancelled: (pod: Pod) => void;
  readonly nowMs: () => number;
}

/** Which pods are to go later, by the uid of each. */
export class DeviceEvictions {
  private readonly planned = new Map<string, string>();
  private readonly steps: DeviceEvictionSteps;

  constructor(steps: DeviceEvictionSteps) {
    this.steps = steps;
  }

  /** `key`: `namespace/name` of a pod. Gives the milliseconds until it goes. */
  async reconcile(key: string): Promise<number | undefined> {
    const { pod: podOf, cancelled, evict, nowMs } = this.steps;
    const pod = podOf(key);
    const wasPlanned = pod !== undefined && this.planned.get(key) === pod.metadata.uid;
    this.planned.delete(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
    const dueMs = this.dueMs(pod);
    if (dueMs === undefined) {
      if (wasPlanned) cancelled(pod);
      return undefined;
    }
    // Until it is done: a failure is no cancellation.
    this.planned.set(key, pod.metadata.uid!);
    const leftMs = dueMs - nowMs();
    if (leftMs > 0) return leftMs;
    await evict(pod, dueMs);
    this.planned.delete(key);
    return undefined;
  }

  /** The earliest time that a claim of the pod gives. A pod that no node has, or that has ended, uses no device. */
  private dueMs(pod: Pod): number | undefined {
    if ((pod.spec.nodeName ?? '') === '' || hasEnded(pod)) return undefined;
    const { claimsOf, taintsOf } = this.steps;
    const times = claimsOf(pod)
      .filter((claim) => isReservedFor(claim, pod))
      .map((claim) => evictionTime(claim, taintsOf))
      .filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
