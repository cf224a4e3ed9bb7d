import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import {
  type AllocationResult,
  AllocationConfigSourceValues,
  type DeviceAllocationConfiguration,
  type DeviceRequestAllocationResult,
} from '../../../generated/types/resource-v1.ts';
import { validateNodeSelector } from '../../core/pod-spec/node-affinity.ts';
import { validateBindingConditions } from '../binding-conditions.ts';
import { validateItems } from '../bounded-items.ts';
import { CONFIGURATIONS_MAX, validateDeviceConfiguration } from '../device-configuration.ts';
import { validateDeviceName, validateDriverName, validatePoolName, validateShareId } from '../device-names.ts';
import { validateDeviceTolerations } from '../device-taints.ts';
import { type RequestNames, validateRequestReference, validateRequestReferences } from './request-names.ts';

const RESULTS_MAX = 32;
const SOURCES = [...AllocationConfigSourceValues].sort();

/** What was allocated for a claim. Only new allocations are checked: they do not change. */
export function validateAllocation(
  { devices, nodeSelector }: AllocationResult,
  known: RequestNames,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('devices');
  validateItems(
    devices.results,
    RESULTS_MAX,
    (result, resultPath) => validateResult(result, known, resultPath, errors),
    at.child('results'),
    errors,
  );
  // Those of the class and those of the claim.
  validateItems(
    devices.config,
    2 * CONFIGURATIONS_MAX,
    (config, configPath) => validateConfiguration(config, known, configPath, errors),
    at.child('config'),
    errors,
  );
  if (nodeSelector !== undefined) validateNodeSelector(nodeSelector, path.child('nodeSelector'), errors);
}

function validateResult(
  result: DeviceRequestAllocationResult,
  known: RequestNames,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateRequestReference(result.request, known, path.child('request'), errors);
  validateDriverName(result.driver, path.child('driver'), errors);
  validatePoolName(result.pool, path.child('pool'), errors);
  validateDeviceName(result.device, path.child('device'), errors);
  validateBindingConditions(result, path, errors);
  validateDeviceTolerations(result.tolerations, path.child('tolerations'), errors);
  if (result.shareID !== undefined) validateShareId(result.shareID, path.child('shareID'), errors);
}

function validateConfiguration(
  config: DeviceAllocationConfiguration,
  known: RequestNames,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (config.source === '') errors.required(path.child('source'));
  else if (!SOURCES.includes(config.source)) errors.notSupported(path.child('source'), config.source, SOURCES);
  validateRequestReferences(config.requests, known, path.child('requests'), errors);
  validateDeviceConfiguration(config, false, path, errors);
}
