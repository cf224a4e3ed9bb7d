import { posix } from 'node:path';
import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from '../../../generated/types/core-v1.ts';
import { validateAccessModes, VOLUME_MODES } from '../../validation/claim-spec.ts';
import { reportProblems } from '../../validation/names.ts';
import { validatePositiveQuantity } from '../../validation/resource-names.ts';
import { validateNodeSelector } from '../pod-spec/node-affinity.ts';
import { sourcesOf, validateSource } from './sources.ts';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const MOUNT_OPTIONS_ANNOTATION = 'volume.beta.kubernetes.io/mount-options';
/** Sources that take mount options from the annotation. */
const MOUNT_OPTION_SOURCES = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

export function validatePersistentVolume(volume: PersistentVolume, errors: FieldErrors): void {
  validateSpec(volume.spec, volume.metadata.name ?? '', field('spec'), errors);
  validateMountOptions(volume, errors);
}

export function validatePersistentVolumeUpdate(
  volume: PersistentVolume,
  old: PersistentVolume,
  errors: FieldErrors,
): void {
  // Kubernetes checks the spec twice and reports all errors twice.
  validatePersistentVolume(volume, errors);
  validateSpec(volume.spec, volume.metadata.name ?? '', field('spec'), errors);
  if (!semanticDeepEqual(comparableSources(volume.spec, old.spec), sourcesOf(old.spec))) {
    errors.forbidden(
      field('spec', 'persistentvolumesource'),
      'spec.persistentvolumesource is immutable after creation',
    );
  }
  validateImmutableField(volume.spec.volumeMode, old.spec.volumeMode, field('volumeMode'), errors);
  if (old.spec.nodeAffinity !== undefined)
    validateImmutableField(volume.spec.nodeAffinity, old.spec.nodeAffinity, field('nodeAffinity'), errors);
}

/** A CSI volume without a secret for its expansion may get one. */
function comparableSources(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): object {
  const sources = sourcesOf(spec);
  if (
    old.csi === undefined ||
    old.csi.controllerExpandSecretRef !== undefined ||
    sources.csi?.controllerExpandSecretRef === undefined
  )
    return sources;
  return { ...sources, csi: { ...sources.csi, controllerExpandSecretRef: undefined } };
}

function validateSpec(spec: PersistentVolumeSpec, name: string, path: FieldPath, errors: FieldErrors): void {
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.required(path.child('accessModes'));
  validateAccessModes(modes, path.child('accessModes'), errors);
  validateCapacity(spec.capacity, path.child('capacity'), errors);
  const policy = spec.persistentVolumeReclaimPolicy;
  const policyPath = path.child('persistentVolumeReclaimPolicy');
  if (policy && !RECLAIM_POLICIES.includes(policy)) errors.notSupported(policyPath, policy, RECLAIM_POLICIES);
  if (spec.nodeAffinity !== undefined)
    validateVolumeNodeAffinity(spec.nodeAffinity, path.child('nodeAffinity'), errors);
  validateSource(spec, name, path, errors);
  if (policy === 'Recycle' && spec.hostPath !== undefined && posix.normalize(spec.hostPath.path) === '/') {
    errors.forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'");
  }
  validateClassName(spec.storageClassName, path.child('storageClassName'), errors);
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode))
    errors.notSupported(path.child('volumeMode'), spec.volumeMode, VOLUME_MODES);
  validateAttributesClass(spec, path, errors);
}

function validateClassName(name: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (name) reportProblems(nameIsDns1123Subdomain(name, false), name, path, errors);
}

function validateAttributesClass(
  { volumeAttributesClassName: name, csi }: PersistentVolumeSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name === undefined) return;
  if (name === '') errors.required(path.child('volumeAttributesClassName'), 'an empty string is disallowed');
  validateClassName(name, path.child('volumeAttributesClassName'), errors);
  if (csi === undefined) errors.required(path.child('csi'), 'has to be specified when using volumeAttributesClassName');
}

/** Volumes hold storage and nothing else. */
function validateCapacity(capacity: Record<string, string> | undefined, path: FieldPath, errors: FieldErrors): void {
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) errors.required(path);
  if (names.length !== 1 || names[0] !== 'storage') errors.notSupported(path, capacity ?? null, ['storage']);
  for (const [name, amount] of Object.entries(capacity ?? {})) {
    validateBasicAmount(amount, path.key(name), errors);
    validatePositiveQuantity(amount, path.key(name), errors);
  }
}

/** Some amount, also none. */
export function validateBasicAmount(amount: string, path: FieldPath, errors: FieldErrors): void {
  const value = parseQuantity(amount).value();
  if (value < 0n) errors.invalid(path, value, 'must be a valid resource quantity');
}

function validateVolumeNodeAffinity({ required }: VolumeNodeAffinity, path: FieldPath, errors: FieldErrors): void {
  if (required === undefined) errors.required(path.child('required'), 'must specify required node constraints');
  else validateNodeSelector(required, path.child('required'), errors);
}

function validateMountOptions({ metadata, spec }: PersistentVolume, errors: FieldErrors): void {
  if (
    getKey(metadata.annotations, MOUNT_OPTIONS_ANNOTATION) === undefined ||
    MOUNT_OPTION_SOURCES.some((key) => spec[key] !== undefined)
  )
    return;
  errors.forbidden(
    field('metadata', 'annotations', MOUNT_OPTIONS_ANNOTATION),
    'may not specify mount options for this volume type',
  );
}
