import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { PodSecurityContext, PodSpec, SecurityContext } from '../../../generated/types/core-v1.ts';
import { eachContainer } from './each-container.ts';

const SYSTEMS = ['linux', 'windows'];
const NOT_ON_WINDOWS = 'cannot be set for a windows pod';

const LINUX_POD_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const satisfies (keyof PodSecurityContext)[];
const LINUX_CONTAINER_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const satisfies (keyof SecurityContext)[];

/** A pod that names its operating system uses nothing of the other. */
export function validateOperatingSystem(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const name = spec.os?.name;
  if (name === undefined) return;
  if (name === '') errors.required(path.child('os', 'name'), 'cannot be empty');
  else if (!SYSTEMS.includes(name)) errors.notSupported(path.child('os'), name, SYSTEMS);
  else if (name === 'linux') validateLinux(spec, path, errors);
  else validateWindows(spec, path, errors);
}

function validateLinux(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const detail = 'windows options cannot be set for a linux pod';
  if (spec.securityContext?.windowsOptions !== undefined)
    errors.forbidden(path.child('securityContext', 'windowsOptions'), detail);
  for (const [container, at] of eachContainer(spec, path)) {
    if (container.securityContext?.windowsOptions !== undefined)
      errors.forbidden(at.child('securityContext', 'windowsOptions'), detail);
  }
}

function validateWindows(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('securityContext');
  const forbidPodField = (field: (typeof LINUX_POD_FIELDS)[number]): void => {
    if (spec.securityContext?.[field] !== undefined) errors.forbidden(at.child(field), NOT_ON_WINDOWS);
  };
  for (const field of LINUX_POD_FIELDS.slice(0, 2)) forbidPodField(field);
  if (spec.hostUsers !== undefined) errors.forbidden(path.child('hostUsers'), NOT_ON_WINDOWS);
  if (spec.hostPID) errors.forbidden(path.child('hostPID'), NOT_ON_WINDOWS);
  if (spec.hostIPC) errors.forbidden(path.child('hostIPC'), NOT_ON_WINDOWS);
  for (const field of LINUX_POD_FIELDS.slice(2, 6)) forbidPodField(field);
  if (spec.shareProcessNamespace !== undefined) errors.forbidden(path.child('shareProcessNamespace'), NOT_ON_WINDOWS);
  for (const field of LINUX_POD_FIELDS.slice(6)) forbidPodField(field);
  for (const [container, containerPath] of eachContainer(spec, path)) {
    for (const field of LINUX_CONTAINER_FIELDS) {
      if (container.securityContext?.[field] !== undefined)
        errors.forbidden(containerPath.child('securityContext', field), NOT_ON_WINDOWS);
    }
  }
}
