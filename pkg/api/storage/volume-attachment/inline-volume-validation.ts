import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { PersistentVolumeSpec } from '../../../generated/types/core-v1.ts';
import { validateSource } from '../../core/persistent-volume/sources.ts';
import { validateAccessModes } from '../../validation/claim-spec.ts';

const NOT_INLINE = 'may not be specified in the context of inline volumes';

/** A volume that exists only in a pod's spec: a CSI volume, without what binds PersistentVolumes to claims. */
export function validateInlineVolume(spec: PersistentVolumeSpec, path: FieldPath, errors: FieldErrors): void {
  if (spec.claimRef !== undefined) errors.forbidden(path.child('claimRef'), NOT_INLINE);
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.forbidden(path.child('capacity'), NOT_INLINE);
  if (spec.csi === undefined)
    errors.required(path.child('csi'), 'has to be specified in the context of inline volumes');
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.required(path.child('accessModes'));
  validateAccessModes(modes, path.child('accessModes'), errors);
  if (spec.persistentVolumeReclaimPolicy && spec.persistentVolumeReclaimPolicy !== 'Retain') {
    errors.forbidden(
      path.child('persistentVolumeReclaimPolicy'),
      'may only be Retain in the context of inline volumes',
    );
  }
  if (spec.nodeAffinity !== undefined) errors.forbidden(path.child('nodeAffinity'), NOT_INLINE);
  validateSource(spec, '', path, errors);
  if (spec.storageClassName) errors.forbidden(path.child('storageClassName'), NOT_INLINE);
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem') {
    errors.forbidden(
      path.child('volumeMode'),
      'may not specify volumeMode other than Filesystem in the context of inline volumes',
    );
  }
  if (spec.volumeAttributesClassName !== undefined)
    errors.forbidden(path.child('volumeAttributesClassName'), NOT_INLINE);
}
