import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { NewEvent } from '../../client/events/event-recorder.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from '../../generated/types/core-v1.ts';
import type { BinderSteps } from './binder-steps.ts';

/** Writes the phase of a volume where it is another one; the event is for the change. */
export async function setVolumePhase(
  volume: PersistentVolume,
  phase: 'Available' | 'Bound' | 'Released' | 'Failed',
  steps: Pick<BinderSteps, 'updateVolumeStatus' | 'event'>,
  event?: NewEvent,
): Promise<PersistentVolume> {
  if (volume.status.phase === phase) return volume;
  const { reason: _reason, message: _message, ...status } = volume.status;
  const message = event === undefined ? {} : { message: event.note };
  const updated = await steps.updateVolumeStatus({ ...volume, status: { ...status, ...message, phase } });
  if (event !== undefined) steps.event(updated, event);
  return updated;
}

/** Writes the phase of a claim, and what its volume offers; the event is for a change of the phase. */
export async function setClaimPhase(
  claim: PersistentVolumeClaim,
  phase: 'Pending' | 'Bound' | 'Lost',
  volume: PersistentVolume | undefined,
  steps: Pick<BinderSteps, 'updateClaimStatus' | 'event'>,
  event?: NewEvent,
): Promise<PersistentVolumeClaim> {
  const status = claimStatus(claim.status, phase, volume);
  if (deepEqual(status, claim.status)) return claim;
  const updated = await steps.updateClaimStatus({ ...claim, status });
  if (event !== undefined && claim.status.phase !== phase) steps.event(updated, event);
  return updated;
}

function claimStatus(
  before: PersistentVolumeClaimStatus,
  phase: string,
  volume: PersistentVolume | undefined,
): PersistentVolumeClaimStatus {
  const { accessModes: _modes, capacity, ...others } = before;
  if (volume === undefined) {
    const { currentVolumeAttributesClassName: _class, ...unbound } = others;
    return { ...unbound, phase };
  }
  const storage = volume.spec.capacity?.['storage'];
  // Once bound, an expansion is the business of those that carry it out.
  const isNew = before.phase !== 'Bound' || capacity === undefined;
  const offered = isNew && storage !== undefined ? { storage } : capacity;
  const attributes = volume.spec.volumeAttributesClassName;
  return {
    ...others,
    phase,
    ...(volume.spec.accessModes === undefined ? {} : { accessModes: volume.spec.accessModes }),
    ...(offered === undefined ? {} : { capacity: offered }),
    ...(before.phase === 'Bound' || !attributes ? {} : { currentVolumeAttributesClassName: attributes }),
  };
}
