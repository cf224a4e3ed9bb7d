import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { Lease } from '../../generated/types/coordination-v1.ts';

export interface CollectionFunctions {
  /** The leases of all servers. */
  readonly leases: () => readonly Lease[];
  /** Deletes the lease unless it has changed since. */
  readonly remove: (lease: Lease) => Promise<void>;
}

/** Deletes the leases of servers that have ended, and those that say nothing of their end. */
export async function reconcile({ leases, remove }: CollectionFunctions, nowMs: number): Promise<void> {
  for (const lease of leases().filter((each) => hasExpired(each, nowMs))) {
    try {
      await remove(lease);
    } catch (error) {
      // Another server was faster, or its own server renewed it.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

function hasExpired({ spec: { renewTime, leaseDurationSeconds } }: Lease, nowMs: number): boolean {
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + Number(leaseDurationSeconds) * 1000 < nowMs;
}
