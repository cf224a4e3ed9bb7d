import { getKey } from '../../apimachinery/json/own-keys.ts';
import { compareQuantities } from '../../apimachinery/values/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import { volumePlugin } from '../owned/volume-plugin.ts';
import { currentProvisioner } from '../persistent-volume-binder/names.ts';
import { KnownProblem } from '../queue-controller.ts';

/** On a volume that has grown, until its file system has. */
const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity';
/** Which driver is to expand the volume of a claim. */
const RESIZER = 'volume.kubernetes.io/storage-resizer';

export interface ExpanderSteps {
  readonly volume: (name: string) => PersistentVolume | undefined;
  readonly event: (note: string) => void;
  /** Writes annotations of the claim. */
  readonly annotate: (annotations: Readonly<Record<string, string>>) => Promise<unknown>;
}

/** Reports who is to expand the volume of a claim that asks for more than it has. */
export async function reconcile(
  claim: PersistentVolumeClaim,
  { volume: volumeOf, event, annotate }: ExpanderSteps,
): Promise<undefined> {
  const volume = volumeOf(claim.spec.volumeName ?? '');
  // Claim and volume come by watches of their own.
  if (volume?.spec.claimRef?.uid !== claim.metadata.uid) {
    if (asksForMore(claim) && claim.status.phase === 'Bound') throw new KnownProblem('the volume is not bound to it');
    return undefined;
  }
  if (!asksForMore(claim) && getKey(volume!.metadata.annotations, PRE_RESIZE_CAPACITY) === undefined) return undefined;
  const plugin = volumePlugin(volume!.spec);
  const driver = currentProvisioner(plugin);
  if (driver === plugin) {
    event('waiting for an external controller to expand this PVC');
    return undefined;
  }
  event(`CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`);
  if (getKey(claim.metadata.annotations, RESIZER) !== driver) await annotate({ [RESIZER]: driver });
  return undefined;
}

function asksForMore({ spec, status }: PersistentVolumeClaim): boolean {
  const requested = getKey<string>(spec.resources.requests, 'storage') ?? '0';
  return compareQuantities(requested, getKey<string>(status.capacity, 'storage') ?? '0') > 0;
}
