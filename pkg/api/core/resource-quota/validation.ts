import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { ResourceQuota } from '../../../generated/types/core-v1.ts';
import { validateResourceQuantityValue } from '../../validation/resource-names.ts';
import { validateQuotaResourceName } from './resource-names.ts';
import { goScopes, validateScopes, validateScopeSelector } from './scopes.ts';

export function validateResourceQuota({ spec }: ResourceQuota, errors: FieldErrors): void {
  validateAmounts(spec.hard, field('spec', 'hard'), errors);
  validateScopes(spec, errors);
  validateScopeSelector(spec, errors);
}

/** The scopes stay, in any order: usage that was counted under them would be wrong. */
export function validateResourceQuotaUpdate(object: ResourceQuota, old: ResourceQuota, errors: FieldErrors): void {
  validateResourceQuota(object, errors);
  const scopes = new Set(object.spec.scopes);
  const before = new Set(old.spec.scopes);
  if (scopes.size === before.size && [...scopes].every((scope) => before.has(scope))) return;
  errors.invalid(field('spec', 'scopes'), goScopes(object.spec.scopes), FIELD_IMMUTABLE);
}

export function validateResourceQuotaStatus({ status }: ResourceQuota, _old: ResourceQuota, errors: FieldErrors): void {
  validateAmounts(status.hard, field('status', 'hard'), errors);
  validateAmounts(status.used, field('status', 'used'), errors);
}

function validateAmounts(amounts: Record<string, string> | undefined, path: FieldPath, errors: FieldErrors): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    validateQuotaResourceName(name, path.key(name), errors);
    validateResourceQuantityValue(name, amount, path.key(name), errors);
  }
}
