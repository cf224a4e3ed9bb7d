import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { IDRange, PodSecurityPolicy, PodSecurityPolicySpec } from '../../../generated/types/policy-v1beta1.ts';
import { validatePolicyAnnotations } from './annotations.ts';
import { validateSysctlPatterns, validateSysctlsApart } from './sysctls.ts';

export const validatePolicyName = nameIsDns1123Subdomain;

const SELINUX_RULES = ['MustRunAs', 'RunAsAny'];
const USER_RULES = ['MustRunAs', 'MustRunAsNonRoot', 'RunAsAny'];
const GROUP_RULES = ['MayRunAs', 'MustRunAs', 'RunAsAny'];
const VOLUMES = [
  '*',
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephFS',
  'cinder',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'glusterfs',
  'hostPath',
  'iscsi',
  'nfs',
  'persistentVolumeClaim',
  'photonPersistentDisk',
  'portworxVolume',
  'projected',
  'quobyte',
  'rbd',
  'scaleIO',
  'secret',
  'storageos',
  'vsphere',
];
const KNOWN_VOLUMES = new Set(VOLUMES);
const ALL_CAPABILITIES = '*';

export function validatePodSecurityPolicy({ metadata, spec }: PodSecurityPolicy, errors: FieldErrors): void {
  const path = field('spec');
  validatePolicyAnnotations(metadata.annotations, field('metadata', 'annotations'), errors);
  validateRule(spec.runAsUser.rule, USER_RULES, path.child('runAsUser'), errors);
  validateRanges(spec.runAsUser.ranges, path.child('runAsUser'), errors);
  validateRule(spec.seLinux.rule, SELINUX_RULES, path.child('seLinux'), errors);
  for (const name of ['supplementalGroups', 'fsGroup'] as const) {
    validateRule(spec[name].rule ?? '', GROUP_RULES, path.child(name), errors);
    validateRanges(spec[name].ranges, path.child(name), errors);
  }
  for (const volume of spec.volumes ?? [])
    if (!KNOWN_VOLUMES.has(volume)) errors.notSupported(path.child('volumes'), volume, VOLUMES);
  validateCapabilities(spec, errors);
  validatePrivilegeEscalation(spec, path.child('defaultAllowPrivilegeEscalation'), errors);
  validateHostPaths(spec, path.child('allowedHostPaths'), errors);
  for (const [i, { driver }] of (spec.allowedFlexVolumes ?? []).entries()) {
    // The field's name comes twice in the errors that clients of stock servers see.
    if (driver === '')
      errors.required(
        path.child('allowedFlexVolumes', 'allowedFlexVolumes').index(i).child('driver'),
        'must specify a driver',
      );
  }
  const { allowedUnsafeSysctls = [], forbiddenSysctls = [] } = spec;
  validateSysctlPatterns(allowedUnsafeSysctls, path.child('allowedUnsafeSysctls'), errors);
  validateSysctlPatterns(forbiddenSysctls, path.child('forbiddenSysctls'), errors);
  validateSysctlsApart(allowedUnsafeSysctls, forbiddenSysctls, path, errors);
}

function validateRule(rule: string, supported: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (!supported.includes(rule)) errors.notSupported(path.child('rule'), rule, supported);
}

function validateRanges(ranges: readonly IDRange[] | undefined, path: FieldPath, errors: FieldErrors): void {
  for (const [i, { min, max }] of (ranges ?? []).entries()) {
    const rangePath = path.child('ranges').index(i);
    if (min < 0) errors.invalid(rangePath.child('min'), min, 'min cannot be negative');
    if (max < 0) errors.invalid(rangePath.child('max'), max, 'max cannot be negative');
    if (min > max) errors.invalid(rangePath.child('min'), min, 'min cannot be greater than max');
  }
}

/** The paths of these errors start at the field, as on stock servers. */
function validateCapabilities(spec: PodSecurityPolicySpec, errors: FieldErrors): void {
  const dropped = spec.requiredDropCapabilities ?? [];
  if (dropped.length === 0) return;
  if ((spec.allowedCapabilities ?? []).includes(ALL_CAPABILITIES)) {
    errors.invalid(
      field('requiredDropCapabilities'),
      goStringSlice(dropped),
      'must be empty when all capabilities are allowed by a wildcard',
    );
  }
  const isDropped = new Set(dropped);
  for (const name of ['defaultAddCapabilities', 'allowedCapabilities'] as const) {
    for (const capability of spec[name] ?? []) {
      if (isDropped.has(capability))
        errors.invalid(field(name), capability, `capability is listed in ${name} and requiredDropCapabilities`);
    }
  }
}

function validatePrivilegeEscalation(spec: PodSecurityPolicySpec, path: FieldPath, errors: FieldErrors): void {
  if (spec.defaultAllowPrivilegeEscalation !== true || spec.allowPrivilegeEscalation === true) return;
  errors.invalid(
    path,
    true,
    'Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true',
  );
}

function validateHostPaths(spec: PodSecurityPolicySpec, path: FieldPath, errors: FieldErrors): void {
  for (const [i, { pathPrefix = '' }] of (spec.allowedHostPaths ?? []).entries()) {
    if (pathPrefix === '') {
      errors.required(path.index(i), 'is required');
      return;
    }
    if (pathPrefix.split('/').includes('..')) errors.invalid(path.index(i), pathPrefix, "must not contain '..'");
  }
}
