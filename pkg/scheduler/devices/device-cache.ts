import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../generated/types/resource-v1.ts';
import { deviceKey, type DeviceLookup } from './device-lookup.ts';

/** What the server shows. */
export interface DeviceListers {
  claim(namespace: string, name: string): ResourceClaim | undefined;
  claims(): readonly ResourceClaim[];
  deviceClass(name: string): DeviceClass | undefined;
  slices(): readonly ResourceSlice[];
}

/** Devices as the server shows them, with the allocations that are being written. */
export class DeviceCache implements DeviceLookup {
  private readonly listers: DeviceListers;
  /** Claims as they are going to be, by uid. */
  private readonly assumed = new Map<string, ResourceClaim>();

  constructor(listers: DeviceListers) {
    this.listers = listers;
  }

  claim(namespace: string, name: string): ResourceClaim | undefined {
    const shown = this.listers.claim(namespace, name);
    return shown === undefined ? undefined : this.withAssumption(shown);
  }

  deviceClass(name: string): DeviceClass | undefined {
    return this.listers.deviceClass(name);
  }

  slices(): readonly ResourceSlice[] {
    return this.listers.slices();
  }

  inUse(): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const shown of this.listers.claims())
      for (const { driver, pool, device, adminAccess } of this.withAssumption(shown).status?.allocation?.devices
        .results ?? [])
        if (adminAccess !== true) keys.add(deviceKey(driver, pool, device));
    return keys;
  }

  /** The claim is allocated like this until the server shows an allocation, or `forget`. */
  assume(claim: ResourceClaim): void {
    this.assumed.set(claim.metadata.uid!, claim);
  }

  forget(uid: string): void {
    this.assumed.delete(uid);
  }

  private withAssumption(shown: ResourceClaim): ResourceClaim {
    const uid = shown.metadata.uid!;
    const assumed = this.assumed.get(uid);
    if (assumed === undefined) return shown;
    if (shown.status?.allocation === undefined) return assumed;
    this.assumed.delete(uid);
    return shown;
  }
}
