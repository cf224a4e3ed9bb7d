import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isQuotaHugePageResourceName, validateResourceName } from '../../validation/resource-names.ts';

/** Names without a domain that quotas know. Others, such as `count/deployments.apps`, have a slash. */
const STANDARD_NAMES: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'persistentvolumeclaims',
  'configmaps',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'services.nodeports',
  'services.loadbalancers',
]);

export function isStandardQuotaResourceName(name: string): boolean {
  return STANDARD_NAMES.has(name) || isQuotaHugePageResourceName(name);
}

export function validateQuotaResourceName(name: string, path: FieldPath, errors: FieldErrors): void {
  validateResourceName(name, path, errors);
  if (!name.includes('/') && !isStandardQuotaResourceName(name))
    errors.invalid(path, name, 'must be a standard resource for quota');
}
