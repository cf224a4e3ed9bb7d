import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type {
  EmptyDirVolumeSource,
  Volume,
  VolumeSource,
  EphemeralVolumeSource,
} from '../../../generated/types/core-v1.ts';
import { validatePersistentVolumeClaimSpec } from '../../validation/claim-spec.ts';
import { validateTemplateMetadata } from '../../validation/template-metadata.ts';
import {
  validateConfigMapSource,
  validateDownwardApiSource,
  validateImageSource,
  validateProjectedSource,
  validateSecretSource,
} from './content-volumes.ts';
import * as storage from './storage-volumes.ts';

const MORE_THAN_ONE = 'may not specify more than 1 volume type';

interface SourceCheck {
  readonly key: keyof VolumeSource;
  /** Names in error paths, where Kubernetes' differ from the field's. */
  readonly path: string;
  readonly surplusPath: string;
  // `any`: each check declares the source that it takes; `sourceCheck` ties them together.
  check(source: any, path: FieldPath, errors: FieldErrors): void;
}

function sourceCheck<K extends keyof VolumeSource>(
  key: K,
  check: (source: NonNullable<VolumeSource[K]>, path: FieldPath, errors: FieldErrors) => void,
  names: { path?: string; surplusPath?: string } = {},
): SourceCheck {
  return { key, check, path: names.path ?? key, surplusPath: names.surplusPath ?? key };
}

/** In the order in which Kubernetes looks: the first present source is checked, the others are surplus. */
const CHECKS: readonly SourceCheck[] = [
  sourceCheck('emptyDir', validateEmptyDirSource),
  sourceCheck('hostPath', storage.validateHostPathSource),
  sourceCheck('gitRepo', storage.validateGitRepoSource),
  sourceCheck('gcePersistentDisk', storage.validateGceDiskSource, { path: 'persistentDisk' }),
  sourceCheck('awsElasticBlockStore', storage.validateAwsDiskSource),
  sourceCheck('secret', validateSecretSource),
  sourceCheck('nfs', storage.validateNfsSource),
  sourceCheck('iscsi', storage.validateIscsiSource),
  sourceCheck('glusterfs', storage.validateGlusterfsSource),
  sourceCheck('flocker', storage.validateFlockerSource),
  sourceCheck('persistentVolumeClaim', storage.validateClaimSource),
  sourceCheck('rbd', storage.validateRbdSource),
  sourceCheck('cinder', storage.validateCinderSource),
  sourceCheck('cephfs', storage.validateCephfsSource, { surplusPath: 'cephFS' }),
  sourceCheck('quobyte', storage.validateQuobyteSource),
  sourceCheck('downwardAPI', validateDownwardApiSource, { surplusPath: 'downwarAPI' }),
  sourceCheck('fc', storage.validateFcSource),
  sourceCheck('flexVolume', storage.validateFlexSource),
  sourceCheck('configMap', validateConfigMapSource),
  sourceCheck('azureFile', storage.validateAzureFileSource),
  sourceCheck('vsphereVolume', storage.validateVsphereSource),
  sourceCheck('photonPersistentDisk', storage.validatePhotonSource),
  sourceCheck('portworxVolume', storage.validatePortworxSource),
  sourceCheck('azureDisk', storage.validateAzureDiskSource),
  sourceCheck('storageos', storage.validateStorageOsSource),
  sourceCheck('projected', validateProjectedSource),
  sourceCheck('scaleIO', storage.validateScaleIoSource),
  sourceCheck('csi', storage.validateCsiSource),
  sourceCheck('ephemeral', validateEphemeralSource),
  sourceCheck('image', validateImageSource),
];

/** Checks that a volume has exactly one source and that the source is well-formed. `path` is the volume's. */
export function validateVolumeSource(
  volume: Volume,
  meta: ObjectMeta | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  let chosen: keyof VolumeSource | undefined;
  for (const { key, check, path: name, surplusPath } of CHECKS) {
    const source = volume[key];
    if (source === undefined) continue;
    if (chosen !== undefined) {
      errors.forbidden(path.child(surplusPath), MORE_THAN_ONE);
    } else {
      chosen = key;
      check(source, path.child(name), errors);
    }
    if (key === 'iscsi') validateIscsiNameLength(volume, path, errors);
  }
  if (chosen === undefined) errors.required(path, 'must specify a volume type');
  if (chosen === 'ephemeral') validateClaimName(volume.name, meta, path.child('name'), errors);
}

function validateEmptyDirSource(source: EmptyDirVolumeSource, path: FieldPath, errors: FieldErrors): void {
  if (source.sizeLimit !== undefined && parseQuantity(source.sizeLimit).sign() < 0) {
    errors.forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity');
  }
}

function validateIscsiNameLength(volume: Volume, path: FieldPath, errors: FieldErrors): void {
  const { initiatorName, targetPortal } = volume.iscsi!;
  if (initiatorName === undefined || Buffer.byteLength(`${volume.name}:${targetPortal}`) <= 64) return;
  errors.invalid(
    path.child('name'),
    volume.name,
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
  );
}

/** The claim of an ephemeral volume is named after pod and volume. */
function validateClaimName(
  volumeName: string,
  meta: ObjectMeta | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!meta?.name || volumeName === '') return;
  const claim = `${meta.name}-${volumeName}`;
  for (const problem of nameIsDns1123Subdomain(claim, false))
    errors.invalid(path, volumeName, `PVC name ${goQuote(claim)}: ${problem}`);
}

/** A volume whose claim is made with the pod. */
function validateEphemeralSource(source: EphemeralVolumeSource, path: FieldPath, errors: FieldErrors): void {
  const template = source.volumeClaimTemplate;
  const at = path.child('volumeClaimTemplate');
  if (template === undefined) return errors.required(at);
  validateTemplateMetadata(template.metadata, at.child('metadata'), errors);
  validatePersistentVolumeClaimSpec(template.spec, at.child('spec'), errors);
}
