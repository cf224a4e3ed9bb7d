import { resourceClaims } from '../../../resource/tokens.ts';
import { Quantity } from '../../../../apimachinery/values/quantity.ts';
import type {
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../../../generated/types/resource-v1.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { countName, ONE } from './object-count-evaluator.ts';

const COUNT = countName(resourceClaims);
const OF_CLASS = '.deviceclass.resource.k8s.io/devices';
/** The amount of a request for all devices. */
const ALL_DEVICES = 32n;

/** Counts claims for devices, and the requested devices by class: of alternatives the largest amount of each class. */
export const deviceClaimEvaluator: QuotaEvaluator<ResourceClaim> = {
  operations: ['CREATE', 'UPDATE'],
  counts: (name) => name === COUNT || name.endsWith(OF_CLASS),
  usage({ spec }) {
    const devices = new Map<string, bigint>();
    for (const request of spec.devices.requests ?? []) {
      for (const [deviceClass, count] of largestByClass(request))
        devices.set(deviceClass, (devices.get(deviceClass) ?? 0n) + count);
    }
    return new Map<string, Quantity>([
      [COUNT, ONE],
      ...[...devices].map(([deviceClass, count]) => [deviceClass + OF_CLASS, Quantity.fromInteger(count)] as const),
    ]);
  },
};

function largestByClass({ exactly, firstAvailable }: DeviceRequest): ReadonlyMap<string, bigint> {
  const alternatives: readonly (ExactDeviceRequest | DeviceSubRequest)[] =
    exactly === undefined ? (firstAvailable ?? []) : [exactly];
  const largest = new Map<string, bigint>();
  for (const { deviceClassName, allocationMode, count = 0 } of alternatives) {
    // Clients may request more than a number holds.
    const asked = allocationMode === 'All' ? ALL_DEVICES : BigInt(count);
    const before = largest.get(deviceClassName) ?? 0n;
    largest.set(deviceClassName, asked > before ? asked : before);
  }
  return largest;
}
