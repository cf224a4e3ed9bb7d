import type { DeviceClaim, DeviceSubRequest, ExactDeviceRequest } from '../../../generated/types/resource-v1.ts';

/** Of a claim, and of the claim in a template. */
export function setDeviceClaimDefaults({ requests }: DeviceClaim): void {
  for (const { exactly, firstAvailable } of requests ?? []) {
    if (exactly !== undefined) setRequestDefaults(exactly);
    for (const alternative of firstAvailable ?? []) setRequestDefaults(alternative);
  }
}

function setRequestDefaults(request: ExactDeviceRequest | DeviceSubRequest): void {
  request.allocationMode ??= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ??= 1;
  for (const toleration of request.tolerations ?? []) toleration.operator ??= 'Equal';
}
