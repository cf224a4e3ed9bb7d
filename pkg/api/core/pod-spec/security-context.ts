import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isValidGroupId, isValidUserId } from '../../../apimachinery/names/names.ts';
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../../../generated/types/core-v1.ts';
import type { ClusterPolicy } from '../../resource-definition.ts';
import { reportProblems } from '../../validation/names.ts';
import { validateLocalDescendingPath } from './local-path.ts';
import { validateWindowsOptions } from './windows.ts';

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const FS_GROUP_POLICIES = ['Always', 'OnRootMismatch'];
const SUPPLEMENTAL_GROUP_POLICIES = ['Merge', 'Strict'];
const SELINUX_POLICIES = ['MountOption', 'Recursive'];
const PROC_MOUNTS = ['Default', 'Unmasked'];
const APP_ARMOR_PROFILE_BYTES_MAX = 4095;

/** `path` is the context's; `specPath` the pod's spec. */
export function validatePodSecurityContext(
  spec: PodSpec,
  specPath: FieldPath,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (spec.hostNetwork) validateHostNetworkPorts(spec, specPath.child('containers'), errors);
  const context = spec.securityContext;
  if (context !== undefined) validateIds(context, path, errors);
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.invalid(
      path.child('shareProcessNamespace'),
      true,
      'ShareProcessNamespace and HostPID cannot both be enabled',
    );
  }
  if (context === undefined) return;
  validateSysctls(context.sysctls ?? [], path.child('sysctls'), errors);
  validateChoice(context.fsGroupChangePolicy, FS_GROUP_POLICIES, path.child('fsGroupChangePolicy'), errors);
  validateSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
  validateChoice(
    context.supplementalGroupsPolicy,
    SUPPLEMENTAL_GROUP_POLICIES,
    path.child('supplementalGroupsPolicy'),
    errors,
  );
  validateChoice(context.seLinuxChangePolicy, SELINUX_POLICIES, path.child('seLinuxChangePolicy'), errors);
}

function validateHostNetworkPorts(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  for (const [c, container] of (spec.containers ?? []).entries()) {
    for (const [p, port] of (container.ports ?? []).entries()) {
      if ((port.hostPort ?? 0) === port.containerPort) continue;
      errors.invalid(
        path.index(c).child('ports').index(p).child('containerPort'),
        port.containerPort,
        'must match `hostPort` when `hostNetwork` is true',
      );
    }
  }
}

function validateIds(context: PodSecurityContext, path: FieldPath, errors: FieldErrors): void {
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups = [] } = context;
  if (fsGroup !== undefined) reportProblems(isValidGroupId(fsGroup), fsGroup, path.child('fsGroup'), errors);
  if (runAsUser !== undefined) reportProblems(isValidUserId(runAsUser), runAsUser, path.child('runAsUser'), errors);
  if (runAsGroup !== undefined)
    reportProblems(isValidGroupId(runAsGroup), runAsGroup, path.child('runAsGroup'), errors);
  for (const [i, group] of supplementalGroups.entries())
    reportProblems(isValidGroupId(group), group, path.child('supplementalGroups').index(i), errors);
}

/** `hostUsers`: whether the pod shares the node's user namespace. */
export function validateSecurityContext(
  context: SecurityContext | undefined,
  hostUsers: boolean,
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (context === undefined) return;
  const { privileged, runAsUser, runAsGroup, procMount } = context;
  if (privileged && !policy.allowPrivileged) errors.forbidden(path.child('privileged'), 'disallowed by cluster policy');
  if (runAsUser !== undefined) reportProblems(isValidUserId(runAsUser), runAsUser, path.child('runAsUser'), errors);
  if (runAsGroup !== undefined)
    reportProblems(isValidGroupId(runAsGroup), runAsGroup, path.child('runAsGroup'), errors);
  validateChoice(procMount, PROC_MOUNTS, path.child('procMount'), errors);
  if (procMount === 'Unmasked' && hostUsers)
    errors.invalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`');
  validateSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  if (context.allowPrivilegeEscalation === false) validateNoEscalation(context, path, errors);
  validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
}

function validateNoEscalation(context: SecurityContext, path: FieldPath, errors: FieldErrors): void {
  if (context.privileged)
    errors.invalid(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  for (const capability of context.capabilities?.add ?? []) {
    if (capability === 'CAP_SYS_ADMIN')
      errors.invalid(
        path,
        context,
        'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      );
  }
}

function validateSeccompProfile(profile: SeccompProfile | undefined, path: FieldPath, errors: FieldErrors): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (type === '') errors.required(path.child('type'), 'type is required when seccompProfile is set');
  else if (!PROFILE_TYPES.includes(type)) errors.notSupported(path.child('type'), type, PROFILE_TYPES);
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined)
      errors.invalid(
        path.child('localhostProfile'),
        localhostProfile,
        'can only be set when seccomp type is Localhost',
      );
  } else if (localhostProfile === undefined) {
    errors.required(path.child('localhostProfile'), 'must be set when seccomp type is Localhost');
  } else {
    validateLocalDescendingPath(localhostProfile, path.child('localhostProfile'), errors);
  }
}

function validateAppArmorProfile(profile: AppArmorProfile | undefined, path: FieldPath, errors: FieldErrors): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  const at = path.child('localhostProfile');
  if (type === '') {
    errors.required(path.child('type'), 'type is required when appArmorProfile is set');
  } else if (!PROFILE_TYPES.includes(type)) {
    errors.notSupported(path.child('type'), type, PROFILE_TYPES);
  } else if (type !== 'Localhost') {
    if (localhostProfile !== undefined)
      errors.invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost');
  } else if (!localhostProfile) {
    errors.required(at, 'must be set when AppArmor type is Localhost');
  } else {
    if (localhostProfile.trim() !== localhostProfile)
      errors.invalid(at, localhostProfile, 'must not be padded with whitespace');
    if (Buffer.byteLength(localhostProfile) > APP_ARMOR_PROFILE_BYTES_MAX)
      errors.tooLong(at, localhostProfile, APP_ARMOR_PROFILE_BYTES_MAX);
  }
}

function validateChoice(
  value: string | undefined,
  choices: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (value !== undefined && !choices.includes(value)) errors.notSupported(path, value, choices);
}

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const PATTERN = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const NAME = new RegExp(PATTERN);
const NAME_LENGTH_MAX = 253;

/** Kernel parameters of a pod. The node decides whether a pod may set them. */
function validateSysctls(sysctls: readonly Sysctl[], path: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [i, { name }] of sysctls.entries()) {
    const at = path.index(i).child('name');
    if (name === '') errors.required(at);
    else if (name.length > NAME_LENGTH_MAX || !NAME.test(name))
      errors.invalid(at, name, `must have at most ${NAME_LENGTH_MAX} characters and match regex ${PATTERN}`);
    else if (names.has(name)) errors.duplicate(at, name);
    names.add(name);
  }
}
