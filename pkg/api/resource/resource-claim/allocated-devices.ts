import type { AllocatedDeviceStatus, AllocationResult, ResourceClaim } from '../../../generated/types/resource-v1.ts';

type DeviceReference = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/** A device as errors name it: `driver/pool/device`. */
function deviceName({ driver, pool, device }: DeviceReference): string {
  return `${driver}/${pool}/${device}`;
}

/** A device, or one share of a device that several claims have: `driver/pool/device/share`. */
export function sharedDeviceName(reference: DeviceReference): string {
  return reference.shareID === undefined ? deviceName(reference) : `${deviceName(reference)}/${reference.shareID}`;
}

/** The devices of an allocation, by `sharedDeviceName`. */
export function allocatedDevices(allocation: AllocationResult | undefined): ReadonlySet<string> {
  return new Set((allocation?.devices.results ?? []).map(sharedDeviceName));
}

/** Drops the devices' status of drivers for devices that an update of the status deallocates. In place. */
export function dropStatusOfReleasedDevices({ status }: ResourceClaim, old: ResourceClaim): void {
  if (status.devices === undefined) return;
  const released = new Set((old.status.allocation?.devices.results ?? []).map(deviceName));
  for (const result of status.allocation?.devices.results ?? []) released.delete(deviceName(result));
  const kept = status.devices.filter((device) => !released.has(deviceName(device)));
  if (kept.length === 0) delete status.devices;
  else status.devices = kept;
}
