import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain, nameIsPathSegment } from '../../apimachinery/names/names.ts';

/** Any reference to an object by group, kind and name. */
interface ObjectReference {
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
}

/** Checks a reference from an Ingress or IngressClass: its object need not exist, but could. */
export function validateObjectReference(reference: ObjectReference, path: FieldPath, errors: FieldErrors): void {
  if (reference.apiGroup != null) {
    for (const problem of isDns1123Subdomain(reference.apiGroup))
      errors.invalid(path.child('apiGroup'), reference.apiGroup, problem);
  }
  validateSegment(reference.kind, 'kind', path, errors);
  validateSegment(reference.name, 'name', path, errors);
}

function validateSegment(value: string, name: string, path: FieldPath, errors: FieldErrors): void {
  if (value === '') return errors.required(path.child(name), `${name} is required`);
  for (const problem of nameIsPathSegment(value, false)) errors.invalid(path.child(name), value, problem);
}
