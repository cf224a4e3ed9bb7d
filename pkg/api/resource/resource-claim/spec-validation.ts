import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
} from '../../../generated/types/resource-v1.ts';
import { validateItems, validateSet } from '../bounded-items.ts';
import { CONFIGURATIONS_MAX, validateDeviceConfiguration } from '../device-configuration.ts';
import { validateDeviceClassName, validateFullyQualifiedDeviceName, validateRequestName } from '../device-names.ts';
import { validateDeviceSelectors } from '../device-selectors.ts';
import { validateDeviceTolerations } from '../device-taints.ts';
import { requestNames, type RequestNames, validateRequestReferences } from './request-names.ts';

const REQUESTS_MAX = 32;
const CONSTRAINTS_MAX = 32;
const ALTERNATIVES_MAX = 8;
const ALLOCATION_MODES = ['All', 'ExactCount'];

/** The request of a claim, or of the claim in a template. It is checked when it is new: it never changes. */
export function validateDeviceClaim(claim: DeviceClaim, path: FieldPath, errors: FieldErrors): void {
  const known = requestNames(claim);
  validateSet(claim.requests, REQUESTS_MAX, validateRequest, ({ name }) => name, path.child('requests'), errors);
  validateItems(
    claim.constraints,
    CONSTRAINTS_MAX,
    (constraint, at) => validateConstraint(constraint, known, at, errors),
    path.child('constraints'),
    errors,
  );
  validateItems(
    claim.config,
    CONFIGURATIONS_MAX,
    (config, at) => {
      validateRequestReferences(config.requests, known, at.child('requests'), errors);
      validateDeviceConfiguration(config, false, at, errors);
    },
    path.child('config'),
    errors,
  );
}

function validateRequest({ name, exactly, firstAvailable }: DeviceRequest, path: FieldPath, errors: FieldErrors): void {
  validateRequestName(name, path.child('name'), errors);
  const hasAlternatives = (firstAvailable?.length ?? 0) > 0;
  if (exactly !== undefined && hasAlternatives) {
    errors.invalid(path, null, 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set');
  } else if (exactly !== undefined) {
    validateDevices(exactly, path.child('exactly'), errors);
  } else if (hasAlternatives) {
    validateSet(
      firstAvailable,
      ALTERNATIVES_MAX,
      validateAlternative,
      (alternative) => alternative.name,
      path.child('firstAvailable'),
      errors,
    );
  } else {
    errors.required(path, 'exactly one of `exactly` or `firstAvailable` is required');
  }
}

function validateAlternative(alternative: DeviceSubRequest, path: FieldPath, errors: FieldErrors): void {
  validateRequestName(alternative.name, path.child('name'), errors);
  validateDevices(alternative, path, errors);
}

function validateDevices(request: ExactDeviceRequest | DeviceSubRequest, path: FieldPath, errors: FieldErrors): void {
  validateDeviceClassName(request.deviceClassName, path.child('deviceClassName'), errors);
  validateDeviceSelectors(request.selectors, path.child('selectors'), errors);
  validateCount(request, path, errors);
  validateDeviceTolerations(request.tolerations, path.child('tolerations'), errors);
}

function validateCount(
  { allocationMode = '', count = 0 }: ExactDeviceRequest | DeviceSubRequest,
  path: FieldPath,
  errors: FieldErrors,
): void {
  switch (allocationMode) {
    case 'All':
      if (count !== 0) errors.invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'");
      break;
    case 'ExactCount':
      if (count <= 0) errors.invalid(path.child('count'), count, 'must be greater than zero');
      break;
    default:
      errors.notSupported(path.child('allocationMode'), allocationMode, ALLOCATION_MODES);
  }
}

function validateConstraint(
  { requests, matchAttribute, distinctAttribute }: DeviceConstraint,
  known: RequestNames,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateRequestReferences(requests, known, path.child('requests'), errors);
  if (matchAttribute !== undefined && distinctAttribute !== undefined) {
    errors.invalid(
      path,
      `{${'`matchAttribute`, `distinctAttribute`'}}`,
      'must specify exactly one of: `matchAttribute`, `distinctAttribute`',
    );
  }
  if (matchAttribute !== undefined)
    validateFullyQualifiedDeviceName(matchAttribute, path.child('matchAttribute'), errors);
  else if (distinctAttribute !== undefined)
    validateFullyQualifiedDeviceName(distinctAttribute, path.child('distinctAttribute'), errors);
  // The words of stock servers, which say this where none is set.
  else
    errors.required(
      path,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    );
}
