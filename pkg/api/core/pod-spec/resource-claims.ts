import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { PodResourceClaim, PodResourceClaimStatus } from '../../../generated/types/core-v1.ts';
import { reportProblems, validateDns1123Label } from '../../validation/names.ts';

/** Devices that a pod needs: each entry names a claim or a template of one. */
export function validatePodResourceClaims(
  claims: readonly PodResourceClaim[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    const at = path.index(i);
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    if (name === '') errors.required(at.child('name'));
    else if (names.has(name)) errors.duplicate(at.child('name'), name);
    else validateDns1123Label(name, at.child('name'), errors);
    names.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      errors.invalid(at, claim, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      errors.invalid(at, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    }
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const reference = claim[field];
      if (reference !== undefined)
        reportProblems(nameIsDns1123Subdomain(reference, false), reference, at.child(field), errors);
    }
  }
}

/** The claims of a pod's entries. */
export function validatePodResourceClaimStatuses(
  statuses: readonly PodResourceClaimStatus[],
  claims: readonly PodResourceClaim[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const known = new Set(claims.map(({ name }) => name));
  const names = new Set<string>();
  for (const [i, { name, resourceClaimName }] of statuses.entries()) {
    const at = path.index(i).child('name');
    if (!known.has(name)) errors.invalid(at, name, 'must match the name of an entry in `spec.resourceClaims`');
    if (names.has(name)) errors.duplicate(at, name);
    names.add(name);
    // Stock servers name the entry here, too.
    if (resourceClaimName !== undefined)
      reportProblems(nameIsDns1123Subdomain(resourceClaimName, false), resourceClaimName, at, errors);
  }
}
