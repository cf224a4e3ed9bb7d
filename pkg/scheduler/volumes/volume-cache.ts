import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import { volumeClass } from '../../api/core/persistent-volume/match-claim.ts';
import type { VolumeLookup } from './volume-lookup.ts';

/** What the server shows. */
export interface StorageListers extends Omit<VolumeLookup, 'availableVolumes'> {
  volumes(): readonly PersistentVolume[];
}

/** Storage as the server shows it, with the volumes that were given to claims of pods that are being bound. */
export class VolumeCache implements VolumeLookup {
  private readonly listers: StorageListers;
  /** The volume as it was, and as it is assumed to be, by name. */
  private readonly assumed = new Map<string, { readonly before: PersistentVolume; readonly after: PersistentVolume }>();

  constructor(listers: StorageListers) {
    this.listers = listers;
  }

  claim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.listers.claim(namespace, name);
  }

  volume(name: string): PersistentVolume | undefined {
    return this.withAssumption(name, this.listers.volume(name));
  }

  availableVolumes(className: string): readonly PersistentVolume[] {
    return this.listers
      .volumes()
      .filter((volume) => volumeClass(volume) === className)
      .map((volume) => this.withAssumption(volume.metadata.name!, volume)!)
      .filter(({ spec, status }) => status.phase === 'Available' || spec.claimRef !== undefined);
  }

  storageClass(name: string): ReturnType<VolumeLookup['storageClass']> {
    return this.listers.storageClass(name);
  }

  csiNode(name: string): ReturnType<VolumeLookup['csiNode']> {
    return this.listers.csiNode(name);
  }

  csiDriver(name: string): ReturnType<VolumeLookup['csiDriver']> {
    return this.listers.csiDriver(name);
  }

  storageCapacities(): ReturnType<VolumeLookup['storageCapacities']> {
    return this.listers.storageCapacities();
  }

  /** The volume is the claim's until the server shows another state of it, or `forget`. */
  assume(before: PersistentVolume, after: PersistentVolume): void {
    this.assumed.set(before.metadata.name!, { before, after });
  }

  forget(name: string): void {
    this.assumed.delete(name);
  }

  private withAssumption(name: string, volume: PersistentVolume | undefined): PersistentVolume | undefined {
    const assumption = this.assumed.get(name);
    if (assumption === undefined || volume === undefined) return volume;
    if (volume.metadata.resourceVersion === assumption.before.metadata.resourceVersion) return assumption.after;
    this.assumed.delete(name);
    return volume;
  }
}
