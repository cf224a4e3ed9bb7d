import { deepCopy, semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isQualifiedName } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE, validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { compareQuantities } from '../../../apimachinery/values/quantity.ts';
import {
  ClaimResourceStatusValues,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type PersistentVolumeClaimStatus,
} from '../../../generated/types/core-v1.ts';
import { validatePersistentVolumeClaimSpec } from '../../validation/claim-spec.ts';
import { reportProblems } from '../../validation/names.ts';
import { isNativeResource } from '../../validation/resource-names.ts';
import { specDifference } from '../pod/spec-difference.ts';
import { validateBasicAmount } from '../persistent-volume/validation.ts';
import { STORAGE_CLASS_ANNOTATION } from '../volume-text.ts';
import { normalizeDataSources } from './data-sources.ts';

const RESIZE_STATUSES = [...ClaimResourceStatusValues].sort();

export function validateClaim({ spec }: PersistentVolumeClaim, errors: FieldErrors): void {
  validatePersistentVolumeClaimSpec(spec, field('spec'), errors);
}

/** A claim is nearly immutable: it is bound to a volume once, and once bound it may request more. */
export function validateClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  errors: FieldErrors,
): void {
  // Kubernetes checks the spec twice and reports all errors twice.
  validateClaim(claim, errors);
  validateClaim(claim, errors);
  const movesClass = movesClassToSpec(claim, old);
  if (!movesClass) validateClassAnnotation(claim, old, errors);
  const [asked, kept] = [comparable(claim, old, movesClass), withAlikeSources(old.spec)];
  if (!semanticDeepEqual(asked, kept)) {
    errors.forbidden(
      field('spec'),
      `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${specDifference(kept, asked)}`,
    );
  }
  // An expansion that failed can be taken back, but not below what the volume has.
  const wanted = storageOf(claim.spec) ?? '0';
  const isLess = compareQuantities(wanted, storageOf(old.spec) ?? '0') < 0;
  if (isLess && compareQuantities(wanted, getKey<string>(old.status.capacity, 'storage') ?? '0') <= 0)
    errors.forbidden(field('spec', 'resources', 'requests', 'storage'), 'field can not be less than status.capacity');
  validateImmutableField(claim.spec.volumeMode, old.spec.volumeMode, field('volumeMode'), errors);
}

function storageOf(spec: PersistentVolumeClaimSpec): string | undefined {
  return getKey<string>(spec.resources.requests, 'storage');
}

/** Claims that were stored before both fields of the data source existed have one of them only. */
function withAlikeSources(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const copy = deepCopy(spec);
  normalizeDataSources(copy, spec);
  return copy;
}

/** The new spec with all mutable fields taken from the old one. */
function comparable(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  movesClass: boolean,
): PersistentVolumeClaimSpec {
  const spec = withAlikeSources(claim.spec);
  if (!old.spec.volumeName) spec.volumeName = old.spec.volumeName;
  if (movesClass) delete spec.storageClassName;
  // A claim that names no class may get the default one later.
  else if (
    old.spec.storageClassName === undefined &&
    getKey(old.metadata.annotations, STORAGE_CLASS_ANNOTATION) === undefined
  )
    delete spec.storageClassName;
  if (claim.status.phase !== 'Bound') return spec;
  spec.volumeAttributesClassName = old.spec.volumeAttributesClassName;
  const { requests } = spec.resources;
  if (requests !== undefined) spec.resources.requests = { ...requests, storage: storageOf(old.spec)! };
  return spec;
}

/** The spec names the class from now on, and it is the one that the annotation named. */
function movesClassToSpec(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const named = getKey<string>(old.metadata.annotations, STORAGE_CLASS_ANNOTATION);
  if (named === undefined || old.spec.storageClassName !== undefined || claim.spec.storageClassName !== named)
    return false;
  return (getKey<string>(claim.metadata.annotations, STORAGE_CLASS_ANNOTATION) ?? named) === named;
}

function validateClassAnnotation(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, errors: FieldErrors): void {
  const named = getKey<string>(claim.metadata.annotations, STORAGE_CLASS_ANNOTATION) ?? '';
  if (named === (getKey<string>(old.metadata.annotations, STORAGE_CLASS_ANNOTATION) ?? '')) return;
  errors.invalid(field('metadata', 'annotations', STORAGE_CLASS_ANNOTATION), named, FIELD_IMMUTABLE);
}

export function validateClaimStatus(
  { spec, status }: PersistentVolumeClaim,
  _old: PersistentVolumeClaim,
  errors: FieldErrors,
): void {
  if (spec.accessModes === undefined) errors.required(field('Spec', 'accessModes'));
  for (const [name, amount] of Object.entries(status.capacity ?? {}))
    validateBasicAmount(amount, field('status', 'capacity').key(name), errors);
  validateResizing(status, errors);
}

/** The state of a resize. */
function validateResizing(
  { allocatedResourceStatuses = {}, allocatedResources = {} }: PersistentVolumeClaimStatus,
  errors: FieldErrors,
): void {
  // The earlier name of the field.
  const statusPath = field('status', 'allocatedResourceStatus');
  for (const [name, resizing] of Object.entries(allocatedResourceStatuses)) {
    validateClaimResource(name, statusPath, errors);
    if (!RESIZE_STATUSES.includes(resizing)) errors.notSupported(statusPath, name, RESIZE_STATUSES);
  }
  const allocatedPath = field('status', 'allocatedResources');
  for (const [name, amount] of Object.entries(allocatedResources)) {
    validateClaimResource(name, allocatedPath, errors);
    validateBasicAmount(amount, allocatedPath.key(name), errors);
  }
}

/** Of Kubernetes' own resources a claim has storage alone. */
function validateClaimResource(name: string, path: FieldPath, errors: FieldErrors): void {
  const problems = isQualifiedName(name);
  reportProblems(problems, name, path, errors);
  if (problems.length === 0 && isNativeResource(name) && name !== 'storage')
    errors.notSupported(path, name, ['storage']);
}
