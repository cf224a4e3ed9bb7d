import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { isQualifiedName } from '../../apimachinery/names/names.ts';
import { parseQuantity } from '../../apimachinery/values/quantity.ts';
import { validateQualifiedName } from './names.ts';

/**
 * Names of resources (`cpu`, `requests.storage`, `example.com/gpu`) and the rules for their amounts. Names without a
 * domain are Kubernetes' own; names with another domain are extended resources, whole numbers that nodes report.
 */

/** What containers request and are limited to. */
export const COMPUTE_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** The names by which quotas bound these. */
export const COMPUTE_QUOTA_NAMES: readonly string[] = [...COMPUTE_RESOURCES].flatMap((name) => [
  name,
  `requests.${name}`,
  `limits.${name}`,
]);

const INTEGER_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const STANDARD_RESOURCES: ReadonlySet<string> = new Set([
  ...COMPUTE_QUOTA_NAMES,
  ...INTEGER_RESOURCES,
  'storage',
  'requests.storage',
]);

export const HUGE_PAGES_PREFIX = 'hugepages-';

export function isHugePageResourceName(name: string): boolean {
  return name.startsWith(HUGE_PAGES_PREFIX);
}

/** In the form of quotas. */
export function isQuotaHugePageResourceName(name: string): boolean {
  return isHugePageResourceName(name) || name.startsWith(`requests.${HUGE_PAGES_PREFIX}`);
}

export function isStandardContainerResourceName(name: string): boolean {
  return COMPUTE_RESOURCES.has(name) || isHugePageResourceName(name);
}

export function isStandardResourceName(name: string): boolean {
  return STANDARD_RESOURCES.has(name) || isQuotaHugePageResourceName(name);
}

/** Of Kubernetes itself: without a domain, or with its own. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

export function isExtendedResourceName(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  // Quotas count it under this name.
  return isQualifiedName(`requests.${name}`).length === 0;
}

/** Counted in whole numbers. */
export function isIntegerResourceName(name: string): boolean {
  return INTEGER_RESOURCES.has(name) || isExtendedResourceName(name);
}

/** Whether containers may be limited to more than they request. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResourceName(name);
}

/** A standard resource, or any name with a domain. */
export function validateResourceName(name: string, path: FieldPath, errors: FieldErrors): void {
  const before = errors.length;
  validateQualifiedName(name, path, errors);
  if (errors.length > before || name.includes('/')) return;
  if (!isStandardResourceName(name)) errors.invalid(path, name, 'must be a standard resource type or fully qualified');
}

/** A resource that a container may request. */
export function validateContainerResourceName(name: string, path: FieldPath, errors: FieldErrors): void {
  validateResourceName(name, path, errors);
  if (!name.includes('/')) {
    if (!isStandardContainerResourceName(name))
      errors.invalid(path, name, 'must be a standard resource for containers');
  } else if (!isNativeResource(name) && !isExtendedResourceName(name)) {
    errors.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

/** An amount that fits its resource: not negative, and whole where the resource is counted. */
export function validateResourceQuantityValue(
  name: string,
  quantity: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateNonNegativeQuantity(quantity, path, errors);
  if (!isIntegerResourceName(name)) return;
  const parsed = parseQuantity(quantity);
  if (parsed.milliValue() % 1000n !== 0n) errors.invalid(path, parsed.toGoText(), 'must be an integer');
}

export function validateNonNegativeQuantity(quantity: string, path: FieldPath, errors: FieldErrors): void {
  if (parseQuantity(quantity).sign() < 0) errors.invalid(path, quantity, 'must be greater than or equal to 0');
}

export function validatePositiveQuantity(quantity: string, path: FieldPath, errors: FieldErrors): void {
  if (parseQuantity(quantity).sign() <= 0) errors.invalid(path, quantity, 'must be greater than zero');
}
