import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { compareQuantities, parseQuantity, QuantityError } from '../../../apimachinery/values/quantity.ts';
import type { ContainerResizePolicy, ResourceClaim, ResourceRequirements } from '../../../generated/types/core-v1.ts';
import {
  HUGE_PAGES_PREFIX,
  isHugePageResourceName,
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceQuantityValue,
} from '../../validation/resource-names.ts';

const RESIZABLE_RESOURCES = ['cpu', 'memory'];
const RESIZE_RESTARTS = ['NotRequired', 'RestartContainer'];

/** The requests and limits of containers, or pods. `claimNames` are those of the pod's resource claims. */
export function validateResourceRequirements(
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  claimNames: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const limitsPath = path.child('limits');
  const requestsPath = path.child('requests');
  for (const [name, limit] of Object.entries(limits)) validateAmount(name, limit, limitsPath.key(name), errors);
  for (const [name, request] of Object.entries(requests)) {
    validateAmount(name, request, requestsPath.key(name), errors, () => {
      validateRequestAgainstLimit(name, request, getKey<string>(limits, name), requestsPath, limitsPath, errors);
    });
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePageResourceName) && !names.includes('cpu') && !names.includes('memory'))
    errors.forbidden(path, 'HugePages require cpu or memory');
  validateClaims(claims, claimNames, path.child('claims'), errors);
}

/** `between` runs where Kubernetes compares requests with limits. */
function validateAmount(
  name: string,
  amount: string,
  path: FieldPath,
  errors: FieldErrors,
  between?: () => void,
): void {
  validateContainerResourceName(name, path, errors);
  validateResourceQuantityValue(name, amount, path, errors);
  between?.();
  if (isHugePageResourceName(name) && !isMultipleOfPage(name, amount))
    errors.invalid(path, amount, `${amount} is not positive integer multiple of ${name}`);
}

function validateRequestAgainstLimit(
  name: string,
  request: string,
  limit: string | undefined,
  requestsPath: FieldPath,
  limitsPath: FieldPath,
  errors: FieldErrors,
): void {
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    if (!overcommit) errors.required(limitsPath, 'Limit must be set for non overcommitable resources');
    return;
  }
  const order = compareQuantities(request, limit);
  if (!overcommit && order !== 0) errors.invalid(requestsPath, request, `must be equal to ${name} limit of ${limit}`);
  else if (order > 0) errors.invalid(requestsPath, request, `must be less than or equal to ${name} limit of ${limit}`);
}

/** `hugepages-2Mi: 4Mi` */
function isMultipleOfPage(name: string, amount: string): boolean {
  try {
    const page = parseQuantity(name.slice(HUGE_PAGES_PREFIX.length)).asInt64();
    const value = parseQuantity(amount).asInt64();
    if (page === undefined || value === undefined || page <= 0n || value < 0n) return false;
    return value % page === 0n;
  } catch (e) {
    if (e instanceof QuantityError) return false;
    throw e;
  }
}

function validateClaims(
  claims: readonly ResourceClaim[],
  claimNames: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Map<string, Set<string>>();
  for (const [i, { name, request = '' }] of claims.entries()) {
    const at = path.index(i);
    if (name === '') {
      errors.required(at.child('name'));
      continue;
    }
    const requests = seen.get(name);
    if (requests?.has(request) || requests?.has('') || (requests !== undefined && request === '')) {
      errors.duplicate(request === '' ? at.child('name') : at, request === '' ? name : `${name}/${request}`);
    } else if (requests === undefined) {
      seen.set(name, new Set([request]));
    } else {
      requests.add(request);
    }
    if (!claimNames.has(name)) errors.notFound(at.child('name'), name);
  }
}

/** The effect of a change of each resource on a running container. */
export function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [i, { resourceName, restartPolicy }] of policies.entries()) {
    if (seen.has(resourceName)) errors.duplicate(path.index(i), resourceName);
    seen.add(resourceName);
    validateChoice(resourceName, RESIZABLE_RESOURCES, path, errors);
    validateChoice(restartPolicy, RESIZE_RESTARTS, path, errors);
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.invalid(path, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
  }
}

function validateChoice(value: string, choices: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (value === '') errors.required(path);
  else if (!choices.includes(value)) errors.notSupported(path, value, choices);
}
