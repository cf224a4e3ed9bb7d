import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../generated/types/resource-v1.ts';

/** Devices and claims of them as the scheduler sees them, with what was assumed for pods that are being bound. */
export interface DeviceLookup {
  claim(namespace: string, name: string): ResourceClaim | undefined;
  deviceClass(name: string): DeviceClass | undefined;
  slices(): readonly ResourceSlice[];
  /** Keys of devices (`deviceKey`) that claims have for themselves. */
  inUse(): ReadonlySet<string>;
}

export function deviceKey(driver: string, pool: string, device: string): string {
  return `${driver}/${pool}/${device}`;
}
