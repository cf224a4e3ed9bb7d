import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { validateFinalizerName, validateStandardFinalizer } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Namespace } from '../../../generated/types/core-v1.ts';

export function validateNamespace({ spec }: Namespace, errors: FieldErrors): void {
  for (const finalizer of spec.finalizers ?? []) {
    validateFinalizerName(finalizer, field('spec', 'finalizers'), errors);
    validateStandardFinalizer(finalizer, field('spec', 'finalizers'), errors);
  }
}

/** Finalizers as the `finalize` subresource sets them. */
export function validateNamespaceFinalizers({ spec }: Namespace, _old: Namespace, errors: FieldErrors): void {
  for (const [i, finalizer] of (spec.finalizers ?? []).entries()) {
    const path = field('spec', 'finalizers').index(i);
    validateFinalizerName(finalizer, path, errors);
    validateStandardFinalizer(finalizer, path, errors);
  }
}

/** The phase follows the deletion. */
export function validateNamespaceStatus({ metadata, status }: Namespace, _old: Namespace, errors: FieldErrors): void {
  const path = field('status', 'Phase');
  const phase = status.phase ?? '';
  if (metadata.deletionTimestamp == null) {
    if (phase !== 'Active') errors.invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty");
  } else if (phase !== 'Terminating') {
    errors.invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
  }
}
