import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { CrossVersionObjectReference } from '../../../generated/types/autoscaling-v2.ts';
import { reportProblems } from '../../validation/names.ts';

/**
 * The allowed `apiVersion` of a reference: that of a group, also that of the core group, or anything where it was wrong
 * before.
 */
export type AllowedApiVersion = 'of a group' | 'any' | 'unchecked';

/** Kind and name are valid segments of a URL path. */
export function validateReference(
  reference: CrossVersionObjectReference,
  allowed: AllowedApiVersion,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const name of ['kind', 'name'] as const) {
    const value = reference[name];
    if (value === '') errors.required(path.child(name));
    else reportProblems(nameIsPathSegment(value, false), value, path.child(name), errors);
  }
  const problem = apiVersionProblem(reference, allowed);
  if (problem !== undefined) errors.invalid(path.child('apiVersion'), reference.apiVersion ?? '', problem);
}

export function apiVersionProblem(
  { apiVersion = '' }: CrossVersionObjectReference,
  allowed: AllowedApiVersion,
): string | undefined {
  if (allowed === 'unchecked') return undefined;
  const parts = apiVersion === '/' ? [] : apiVersion.split('/', 3);
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== '';
  return hasGroup || allowed === 'any' ? undefined : 'apiVersion must specify API group';
}
