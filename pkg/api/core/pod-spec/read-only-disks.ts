import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { Volume } from '../../../generated/types/core-v1.ts';

/** Several pods can mount a GCE disk only read-only. */
export function validateReadOnlyDisks(
  volumes: readonly Volume[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [i, volume] of (volumes ?? []).entries()) {
    if (volume.gcePersistentDisk === undefined || volume.gcePersistentDisk.readOnly === true) continue;
    errors.invalid(
      path.index(i).child('gcePersistentDisk', 'readOnly'),
      false,
      'must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only',
    );
  }
}
