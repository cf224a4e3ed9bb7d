import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Label } from '../../../apimachinery/names/names.ts';
import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from '../../../generated/types/core-v1.ts';
import { reportProblems, validateDns1123Label, validateDns1123Subdomain } from '../../validation/names.ts';
import { validatePathNoBacksteps } from '../pod-spec/local-path.ts';
import * as storage from '../pod-spec/storage-volumes.ts';

/** The source of a volume's storage. Most sources are those of pods; secrets here have a namespace. */

type SourceKey = keyof PersistentVolumeSource;

interface SourceCheck {
  readonly key: SourceKey;
  /** Names in error paths, where Kubernetes' differ from the field's. */
  readonly path: string;
  readonly surplusPath: string;
  // `any`: each check declares the source that it takes; `sourceCheck` ties them together.
  check(source: any, path: FieldPath, errors: FieldErrors, volumeName: string): void;
}

function sourceCheck<K extends SourceKey>(
  key: K,
  check: (
    source: NonNullable<PersistentVolumeSource[K]>,
    path: FieldPath,
    errors: FieldErrors,
    volumeName: string,
  ) => void,
  names: { path?: string; surplusPath?: string } = {},
): SourceCheck {
  return { key, check, path: names.path ?? key, surplusPath: names.surplusPath ?? key };
}

/** In the order in which Kubernetes checks: the first present source is checked, the others are surplus. */
const CHECKS: readonly SourceCheck[] = [
  sourceCheck('hostPath', storage.validateHostPathSource),
  sourceCheck('gcePersistentDisk', storage.validateGceDiskSource, { path: 'persistentDisk' }),
  sourceCheck('awsElasticBlockStore', storage.validateAwsDiskSource),
  sourceCheck('glusterfs', validateGlusterfs),
  sourceCheck('flocker', storage.validateFlockerSource),
  sourceCheck('nfs', storage.validateNfsSource),
  sourceCheck('rbd', storage.validateRbdSource),
  sourceCheck('quobyte', storage.validateQuobyteSource),
  sourceCheck('cephfs', storage.validateCephfsSource, { surplusPath: 'cephFS' }),
  sourceCheck('iscsi', validateIscsi),
  sourceCheck('cinder', validateCinder),
  sourceCheck('fc', storage.validateFcSource),
  sourceCheck('flexVolume', storage.validateFlexSource),
  sourceCheck('azureFile', validateAzureFile),
  sourceCheck('vsphereVolume', storage.validateVsphereSource),
  sourceCheck('photonPersistentDisk', storage.validatePhotonSource),
  sourceCheck('portworxVolume', storage.validatePortworxSource),
  sourceCheck('azureDisk', storage.validateAzureDiskSource),
  sourceCheck('scaleIO', (source, path, errors) => storage.validateScaleIoSource(source, path, errors)),
  sourceCheck('local', validateLocal),
  sourceCheck('storageos', validateStorageOs),
  sourceCheck('csi', validateCsi),
];

const SOURCE_KEYS = CHECKS.map(({ key }) => key);

/** The source fields alone, for a comparison. */
export function sourcesOf(spec: PersistentVolumeSpec): PersistentVolumeSource {
  return Object.fromEntries(SOURCE_KEYS.filter((key) => spec[key] !== undefined).map((key) => [key, spec[key]]));
}

/** Exactly one source, and a well-formed one. `path` is the spec's, `name` the volume's. */
export function validateSource(spec: PersistentVolumeSpec, name: string, path: FieldPath, errors: FieldErrors): void {
  let chosen: SourceKey | undefined;
  for (const { key, check, path: checkedName, surplusPath } of CHECKS) {
    if (spec[key] === undefined) continue;
    // A flex volume may come second: Kubernetes never reports that there are two.
    if (chosen !== undefined && key !== 'flexVolume') {
      errors.forbidden(path.child(surplusPath), 'may not specify more than 1 volume type');
      continue;
    }
    chosen = key;
    check(spec[key], path.child(checkedName), errors, name);
    if (key === 'local' && spec.nodeAffinity === undefined)
      errors.required(path.child('nodeAffinity'), 'Local volume requires node affinity');
  }
  if (chosen === undefined) errors.required(path, 'must specify a volume type');
}

function validateGlusterfs(source: GlusterfsPersistentVolumeSource, path: FieldPath, errors: FieldErrors): void {
  storage.validateGlusterfsSource(source, path, errors);
  const namespace = source.endpointsNamespace;
  if (namespace === undefined) return;
  const namespacePath = path.child('endpointsNamespace');
  if (namespace === '')
    errors.invalid(namespacePath, namespace, 'if the endpointnamespace is set, it must be a valid namespace name');
  else reportProblems(nameIsDns1123Label(namespace, false), namespace, namespacePath, errors);
}

function validateIscsi(
  source: ISCSIPersistentVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
  volumeName: string,
): void {
  const { targetPortal, initiatorName, secretRef } = source;
  if (targetPortal === '') errors.required(path.child('targetPortal'));
  if (initiatorName !== undefined && Buffer.byteLength(`${volumeName}:${targetPortal}`) > 64) {
    errors.invalid(
      path.child('targetportal'),
      targetPortal,
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    );
  }
  storage.validateIscsiTarget(source, storage.ISCSI_NAME_FORM, path, errors);
  if (secretRef !== undefined && !secretRef.name) errors.required(path.child('secretRef', 'name'));
  if (initiatorName !== undefined)
    storage.validateIscsiName(initiatorName, storage.ISCSI_NAME_FORM, path.child('initiatorname'), errors);
}

function validateCinder(source: CinderPersistentVolumeSource, path: FieldPath, errors: FieldErrors): void {
  storage.validateCinderSource(source, path, errors);
  if (source.secretRef !== undefined && !source.secretRef.namespace)
    errors.required(path.child('secretRef', 'namespace'));
}

function validateAzureFile(source: AzureFilePersistentVolumeSource, path: FieldPath, errors: FieldErrors): void {
  storage.validateAzureFileSource(source, path, errors);
  if (source.secretNamespace === '') errors.required(path.child('secretNamespace'));
}

function validateLocal(source: LocalVolumeSource, path: FieldPath, errors: FieldErrors): void {
  if (source.path === '') errors.required(path.child('path'));
  else validatePathNoBacksteps(source.path, path.child('path'), errors);
}

function validateStorageOs(source: StorageOSPersistentVolumeSource, path: FieldPath, errors: FieldErrors): void {
  storage.validateStorageOsSource(source, path, errors);
  if (source.secretRef !== undefined && !source.secretRef.namespace)
    errors.required(path.child('secretRef', 'namespace'));
}

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateCsi(source: CSIPersistentVolumeSource, path: FieldPath, errors: FieldErrors): void {
  storage.validateCsiDriverName(source.driver, path.child('driver'), errors);
  if (source.volumeHandle === '') errors.required(path.child('volumeHandle'));
  for (const key of CSI_SECRETS)
    if (source[key] !== undefined) validateSecretReference(source[key], path.child(key), errors);
}

function validateSecretReference({ name, namespace }: SecretReference, path: FieldPath, errors: FieldErrors): void {
  if (!name) errors.required(path.child('name'));
  else validateDns1123Subdomain(name, path.child('name'), errors);
  if (!namespace) errors.required(path.child('namespace'));
  else validateDns1123Label(namespace, path.child('namespace'), errors);
}
