import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

/** When a node fetches an image. */
export function validatePullPolicy(policy: string, path: FieldPath, errors: FieldErrors): void {
  if (policy === '') errors.required(path);
  else if (!PULL_POLICIES.includes(policy)) errors.notSupported(path, policy, PULL_POLICIES);
}
