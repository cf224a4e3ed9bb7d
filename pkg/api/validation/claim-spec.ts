import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { validateLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { nameIsDns1123Subdomain } from '../../apimachinery/names/names.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from '../../generated/types/core-v1.ts';
import { reportProblems } from './names.ts';
import { validatePositiveQuantity, validateResourceQuantityValue } from './resource-names.ts';

const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem'];

/** The spec of a PersistentVolumeClaim, also of those inside pods. */
export function validatePersistentVolumeClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.required(path.child('accessModes'), 'at least 1 access mode is required');
  if (spec.selector !== undefined) validateLabelSelector(spec.selector, path.child('selector'), errors);
  validateAccessModes(modes, path.child('accessModes'), errors);
  const storage = getKey<string>(spec.resources?.requests, 'storage');
  const storagePath = path.child('resources').key('storage');
  if (storage === undefined) {
    errors.required(storagePath);
  } else {
    validateResourceQuantityValue('storage', storage, storagePath, errors);
    validatePositiveQuantity(storage, storagePath, errors);
  }
  if (spec.storageClassName)
    reportProblems(
      nameIsDns1123Subdomain(spec.storageClassName, false),
      spec.storageClassName,
      path.child('storageClassName'),
      errors,
    );
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode))
    errors.notSupported(path.child('volumeMode'), spec.volumeMode, VOLUME_MODES);
  validateDataSources(spec, path, errors);
}

/** The modes of both claims and volumes. */
export function validateAccessModes(modes: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.notSupported(path, mode, ACCESS_MODES);
  const exclusive = modes.includes('ReadWriteOncePod');
  if (exclusive && modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))) {
    errors.forbidden(path, 'may not use ReadWriteOncePod with other access modes');
  }
}

function validateDataSources(spec: PersistentVolumeClaimSpec, path: FieldPath, errors: FieldErrors): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) validateDataSource(dataSource, path.child('dataSource'), errors);
  if (dataSourceRef !== undefined) validateDataSource(dataSourceRef, path.child('dataSourceRef'), errors);
  if (dataSource === undefined || dataSourceRef === undefined) return;
  if (dataSourceRef.namespace) {
    errors.invalid(
      path,
      path.child('dataSource').toString(),
      'may not be specified when dataSourceRef.namespace is specified',
    );
  } else if (!semanticDeepEqual(dataSource, dataSourceRef)) {
    errors.invalid(path, path.child('dataSource').toString(), 'must match dataSourceRef');
  }
}

function validateDataSource(source: TypedLocalObjectReference, path: FieldPath, errors: FieldErrors): void {
  if (!source.name) errors.required(path.child('name'));
  if (!source.kind) errors.required(path.child('kind'));
  if (!source.apiGroup && source.kind !== 'PersistentVolumeClaim') {
    errors.invalid(path, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
}
