import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import { nameIsPathSegment } from '../../../apimachinery/names.ts';
import type { CrossVersionObjectReference } from '../../../generated/types/autoscaling-v2.ts';
import { reportProblems } from '../../validation/names.ts';

/** Kind and name can stand in a URL path. */
export function validateReference(reference: CrossVersionObjectReference, path: FieldPath, errors: FieldErrors): void {
  for (const name of ['kind', 'name'] as const) {
    const value = reference[name];
    if (value === '') errors.required(path.child(name));
    else reportProblems(nameIsPathSegment(value, false), value, path.child(name), errors);
  }
}
