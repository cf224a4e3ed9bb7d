import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { inclusiveRangeError, isDns1123Subdomain, nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  GlusterfsVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PersistentVolumeClaimVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from '../../../generated/types/core-v1.ts';
import { reportProblems, validateDns1123Label } from '../../validation/names.ts';
import { validateLocalDescendingPath, validatePathNoBacksteps } from './local-path.ts';

/**
 * Volumes with storage outside of the API: on nodes, disks and storage systems. PersistentVolumes have most of them
 * too.
 */

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const AZURE_CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const AZURE_DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const AZURE_MANAGED_URI =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const AZURE_BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
/** Longer names are invalid; the bound keeps the check cheap. */
const ISCSI_NAME_LENGTH_MAX = 1024;
const ISCSI_NAME_FORMS: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.[0-9A-Za-z.-]+:[^,;*&$|\s]+$/,
  eui: /^eui.[0-9A-Za-z]{16}$/,
  naa: /^naa.[0-9A-Za-z]{32}$/,
};
export const ISCSI_NAME_FORM = 'must be valid format';
const HOST_PORT_PAIRS = 'must be a host:port pair or multiple pairs separated by commas';

/** Adds a required error for each field that is missing or empty. */
function requireFields<T extends object>(
  source: T,
  names: readonly (keyof T & string)[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const name of names) {
    const value: unknown = source[name];
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0))
      errors.required(path.child(name));
  }
}

export function validateHostPathSource(source: HostPathVolumeSource, path: FieldPath, errors: FieldErrors): void {
  if (source.path === '') return errors.required(path.child('path'));
  validatePathNoBacksteps(source.path, path.child('path'), errors);
  if (source.type !== undefined && !HOST_PATH_TYPES.includes(source.type))
    errors.notSupported(path.child('type'), source.type, HOST_PATH_TYPES);
}

export function validateGitRepoSource(source: GitRepoVolumeSource, path: FieldPath, errors: FieldErrors): void {
  requireFields(source, ['repository'], path, errors);
  validateLocalDescendingPath(source.directory ?? '', path.child('directory'), errors);
}

export function validateGceDiskSource(
  source: GCEPersistentDiskVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['pdName'], path, errors);
  validatePartition(source.partition, path, errors);
}

export function validateAwsDiskSource(
  source: AWSElasticBlockStoreVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['volumeID'], path, errors);
  validatePartition(source.partition, path, errors);
}

function validatePartition(partition: number | undefined, path: FieldPath, errors: FieldErrors): void {
  // Zero means no partition: it passes although the words leave it out.
  if (partition !== undefined && (partition < 0 || partition > 255))
    errors.invalid(path.child('partition'), partition, inclusiveRangeError(1, 255));
}

export function validateNfsSource(source: NFSVolumeSource, path: FieldPath, errors: FieldErrors): void {
  requireFields(source, ['server', 'path'], path, errors);
  if (!source.path.startsWith('/')) errors.invalid(path.child('path'), source.path, 'must be an absolute path');
}

export function validateIscsiSource(source: ISCSIVolumeSource, path: FieldPath, errors: FieldErrors): void {
  const badStart = `${ISCSI_NAME_FORM} starting with iqn, eui, or naa`;
  requireFields(source, ['targetPortal'], path, errors);
  validateIscsiTarget(source, badStart, path, errors);
  if (source.initiatorName !== undefined)
    validateIscsiName(source.initiatorName, badStart, path.child('initiatorname'), errors);
}

type IscsiTarget = Pick<ISCSIVolumeSource, 'iqn' | 'lun' | 'chapAuthDiscovery' | 'chapAuthSession'> & {
  secretRef?: object;
};

/** `badStart`: the error of a name of an unknown kind. */
export function validateIscsiTarget(source: IscsiTarget, badStart: string, path: FieldPath, errors: FieldErrors): void {
  if (source.iqn === '') errors.required(path.child('iqn'));
  else validateIscsiName(source.iqn, badStart, path.child('iqn'), errors);
  if (source.lun < 0 || source.lun > 255) errors.invalid(path.child('lun'), source.lun, inclusiveRangeError(0, 255));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef === undefined)
    errors.required(path.child('secretRef'));
}

export function validateIscsiName(name: string, badStart: string, path: FieldPath, errors: FieldErrors): void {
  const form = Object.entries(ISCSI_NAME_FORMS).find(([prefix]) => name.startsWith(prefix))?.[1];
  if (form === undefined) errors.invalid(path, name, badStart);
  else if (name.length > ISCSI_NAME_LENGTH_MAX || !form.test(name)) errors.invalid(path, name, ISCSI_NAME_FORM);
}

export function validateGlusterfsSource(
  source: Pick<GlusterfsVolumeSource, 'endpoints' | 'path'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['endpoints', 'path'], path, errors);
}

export function validateFlockerSource(source: FlockerVolumeSource, path: FieldPath, errors: FieldErrors): void {
  const { datasetName, datasetUUID } = source;
  if (!datasetName && !datasetUUID) errors.required(path, 'one of datasetName and datasetUUID is required');
  if (datasetName && datasetUUID)
    errors.invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
  if (datasetName?.includes('/')) errors.invalid(path.child('datasetName'), datasetName, "must not contain '/'");
}

export function validateClaimSource(
  source: PersistentVolumeClaimVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['claimName'], path, errors);
}

export function validateRbdSource(
  source: Pick<RBDVolumeSource, 'monitors' | 'image'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['monitors', 'image'], path, errors);
}

export function validateCinderSource(source: CinderVolumeSource, path: FieldPath, errors: FieldErrors): void {
  requireFields(source, ['volumeID'], path, errors);
  if (source.secretRef !== undefined && !source.secretRef.name) errors.required(path.child('secretRef', 'name'));
}

export function validateCephfsSource(
  source: Pick<CephFSVolumeSource, 'monitors'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['monitors'], path, errors);
}

export function validateQuobyteSource(source: QuobyteVolumeSource, path: FieldPath, errors: FieldErrors): void {
  if (source.registry === '') {
    errors.required(path.child('registry'), HOST_PORT_PAIRS);
  } else if (Buffer.byteLength(source.tenant ?? '') >= 65) {
    errors.required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters');
  } else {
    for (const pair of source.registry.split(','))
      if (!isHostPort(pair)) errors.invalid(path.child('registry'), source.registry, HOST_PORT_PAIRS);
  }
  requireFields(source, ['volume'], path, errors);
}

function isHostPort(text: string): boolean {
  return /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(text);
}

export function validateFcSource(source: FCVolumeSource, path: FieldPath, errors: FieldErrors): void {
  const names = source.targetWWNs ?? [];
  const ids = source.wwids ?? [];
  if (names.length === 0 && ids.length === 0)
    errors.required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both');
  if (names.length > 0 && ids.length > 0)
    errors.invalid(path.child('targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously');
  if (names.length === 0) return;
  if (source.lun === undefined) errors.required(path.child('lun'), 'lun is required if targetWWNs is specified');
  else if (source.lun < 0 || source.lun > 255)
    errors.invalid(path.child('lun'), source.lun, inclusiveRangeError(0, 255));
}

export function validateFlexSource(
  source: Pick<FlexVolumeSource, 'driver' | 'options'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['driver'], path, errors);
  for (const option of Object.keys(source.options ?? {})) {
    const domain = `.${(option.includes('/') ? option.slice(0, option.indexOf('/')) : option).toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io')) {
      errors.invalid(path.child('options').key(option), option, 'kubernetes.io and k8s.io namespaces are reserved');
    }
  }
}

export function validateAzureFileSource(
  source: Pick<AzureFileVolumeSource, 'secretName' | 'shareName'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['secretName', 'shareName'], path, errors);
}

export function validateVsphereSource(
  source: VsphereVirtualDiskVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['volumePath'], path, errors);
}

export function validatePhotonSource(
  source: PhotonPersistentDiskVolumeSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['pdID'], path, errors);
}

export function validatePortworxSource(source: PortworxVolumeSource, path: FieldPath, errors: FieldErrors): void {
  requireFields(source, ['volumeID'], path, errors);
}

export function validateAzureDiskSource(source: AzureDiskVolumeSource, path: FieldPath, errors: FieldErrors): void {
  const { cachingMode, kind, diskURI } = source;
  requireFields(source, ['diskName', 'diskURI'], path, errors);
  if (cachingMode !== undefined && !AZURE_CACHING_MODES.includes(cachingMode))
    errors.notSupported(path.child('cachingMode'), cachingMode, AZURE_CACHING_MODES);
  if (kind === undefined) return;
  if (!AZURE_DISK_KINDS.includes(kind)) errors.notSupported(path.child('kind'), kind, AZURE_DISK_KINDS);
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
    errors.notSupported(path.child('diskURI'), diskURI, [AZURE_MANAGED_URI]);
  if (kind !== 'Managed' && !diskURI.startsWith('https://'))
    errors.notSupported(path.child('diskURI'), diskURI, [AZURE_BLOB_URI]);
}

export function validateScaleIoSource(
  source: Pick<ScaleIOVolumeSource, 'gateway' | 'system' | 'volumeName'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  requireFields(source, ['gateway', 'system', 'volumeName'], path, errors);
}

export function validateStorageOsSource(
  source: Pick<StorageOSVolumeSource, 'volumeName' | 'volumeNamespace'> & { secretRef?: { name?: string } },
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!source.volumeName) errors.required(path.child('volumeName'));
  else validateDns1123Label(source.volumeName, path.child('volumeName'), errors);
  if (source.volumeNamespace) validateDns1123Label(source.volumeNamespace, path.child('volumeNamespace'), errors);
  if (source.secretRef !== undefined && !source.secretRef.name) errors.required(path.child('secretRef', 'name'));
}

export function validateCsiSource(source: CSIVolumeSource, path: FieldPath, errors: FieldErrors): void {
  validateCsiDriverName(source.driver, path.child('driver'), errors);
  if (source.nodePublishSecretRef === undefined) return;
  const name = source.nodePublishSecretRef.name ?? '';
  if (name === '') errors.required(path.child('nodePublishSecretRef', 'name'));
  else reportProblems(nameIsDns1123Subdomain(name, false), name, path.child('name'), errors);
}

/** The name of a CSI driver: a domain name of at most 63 bytes, in any case. */
export function validateCsiDriverName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path);
  if (Buffer.byteLength(name) > 63) errors.tooLong(path, name, 63);
  reportProblems(isDns1123Subdomain(name.toLowerCase()), name, path, errors);
}
