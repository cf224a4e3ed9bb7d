import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { Container, Pod } from '../../generated/types/core-v1.ts';
import type { HostPortRange, PodSecurityPolicy, PodSecurityPolicySpec } from '../../generated/types/policy-v1beta1.ts';
import { checkCapabilities } from './capabilities.ts';
import { checkGroups } from './id-ranges.ts';
import { checkAppArmor, checkContainerSeccomp, checkPodSeccomp } from './profiles.ts';
import { checkLabel } from './se-linux.ts';
import { checkSysctls } from './sysctls.ts';
import { checkUser } from './users.ts';
import { checkVolumes } from './volumes.ts';

/** Adds every violation of a policy by a pod. */
export function checkPod(policy: PodSecurityPolicy, pod: Pod, errors: FieldErrors): void {
  const { spec } = policy;
  const context = pod.spec.securityContext ?? {};
  const path = field('spec', 'securityContext');
  checkGroups(
    spec.fsGroup,
    context.fsGroup === undefined ? undefined : [context.fsGroup],
    path.child('fsGroup'),
    errors,
  );
  checkGroups(spec.supplementalGroups, context.supplementalGroups, path.child('supplementalGroups'), errors);
  checkPodSeccomp(policy, pod, errors);
  checkLabel(spec.seLinux, context.seLinuxOptions, path.child('seLinuxOptions'), errors);
  for (const [name, what] of [
    ['hostNetwork', 'network'],
    ['hostPID', 'PID'],
    ['hostIPC', 'IPC'],
  ] as const) {
    if (pod.spec[name] === true && spec[name] !== true)
      errors.invalid(path.child(name), true, `Host ${what} is not allowed to be used`);
  }
  checkSysctls(spec, pod, errors);
  checkVolumes(spec, pod, errors);
  if (context.windowsOptions?.hostProcess === true && spec.privileged !== true)
    errors.invalid(path.child('windowsOptions', 'hostProcess'), true, 'Privileged containers are not allowed');
  for (const [container, containerPath] of eachContainer(pod.spec, field('spec')))
    checkContainer(policy, pod, container, containerPath, errors);
}

function checkContainer(
  policy: PodSecurityPolicy,
  pod: Pod,
  container: Container,
  containerPath: FieldPath,
  errors: FieldErrors,
): void {
  const { spec } = policy;
  const ofPod = pod.spec.securityContext ?? {};
  const own = container.securityContext ?? {};
  const path = containerPath.child('securityContext');
  checkUser(
    spec.runAsUser,
    { runAsUser: own.runAsUser ?? ofPod.runAsUser, runAsNonRoot: own.runAsNonRoot ?? ofPod.runAsNonRoot },
    path,
    errors,
  );
  checkLabel(spec.seLinux, own.seLinuxOptions ?? ofPod.seLinuxOptions, path.child('seLinuxOptions'), errors);
  checkAppArmor(policy, pod, container, errors);
  checkContainerSeccomp(policy, pod, container, errors);
  if (own.privileged === true && spec.privileged !== true)
    errors.invalid(path.child('privileged'), true, 'Privileged containers are not allowed');
  if (own.windowsOptions?.hostProcess === true && spec.privileged !== true)
    errors.invalid(path.child('windowsOptions', 'hostProcess'), true, 'Privileged containers are not allowed');
  if ((own.procMount ?? 'Default') !== 'Default')
    errors.invalid(path.child('procMount'), own.procMount, 'ProcMountType is not allowed');
  checkCapabilities(spec, own.capabilities, path.child('capabilities'), errors);
  checkHostPorts(spec.hostPorts ?? [], container, containerPath, errors);
  checkRootFileSystem(spec, own.readOnlyRootFilesystem, path.child('readOnlyRootFilesystem'), errors);
  if (spec.allowPrivilegeEscalation === false && own.allowPrivilegeEscalation !== false) {
    errors.invalid(
      path.child('allowPrivilegeEscalation'),
      own.allowPrivilegeEscalation ?? null,
      'Allowing privilege escalation for containers is not allowed',
    );
  }
}

function checkHostPorts(
  allowed: readonly HostPortRange[],
  { ports = [] }: Container,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const { hostPort = 0 } of ports) {
    if (hostPort <= 0 || allowed.some(({ min, max }) => hostPort >= min && hostPort <= max)) continue;
    const shown = allowed.map(({ min, max }) => (min === max ? String(min) : `${min}-${max}`)).join(',');
    errors.invalid(
      path.child('hostPort'),
      hostPort,
      `Host port ${hostPort} is not allowed to be used. Allowed ports: [${shown}]`,
    );
  }
}

function checkRootFileSystem(
  { readOnlyRootFilesystem }: PodSecurityPolicySpec,
  isReadOnly: boolean | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (readOnlyRootFilesystem !== true || isReadOnly === true) return;
  errors.invalid(
    path,
    isReadOnly ?? null,
    isReadOnly === undefined
      ? 'ReadOnlyRootFilesystem may not be nil and must be set to true'
      : 'ReadOnlyRootFilesystem must be set to true',
  );
}
