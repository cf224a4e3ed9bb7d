import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import type { Container, Pod, PodSecurityContext, SecurityContext } from '../../generated/types/core-v1.ts';
import type { PodSecurityPolicy, PodSecurityPolicySpec } from '../../generated/types/policy-v1beta1.ts';
import { withDefaultCapabilities } from './capabilities.ts';
import { defaultId } from './id-ranges.ts';
import { setDefaultAppArmor, setDefaultSeccomp } from './profiles.ts';
import { defaultLabel } from './se-linux.ts';

/** Sets the fields that a policy demands and a pod leaves out. In place. */
export function setPolicyDefaults(policy: PodSecurityPolicy, pod: Pod): void {
  pod.spec.securityContext = podDefaults(policy.spec, pod.spec.securityContext);
  setDefaultSeccomp(policy, pod);
  for (const [container] of eachContainer(pod.spec, field('spec'))) {
    setDefaultAppArmor(policy, pod, container);
    const securityContext = containerDefaults(policy.spec, pod.spec.securityContext, container);
    if (Object.keys(securityContext).length > 0 || container.securityContext !== undefined)
      container.securityContext = securityContext;
  }
}

function podDefaults(policy: PodSecurityPolicySpec, given: PodSecurityContext = {}): PodSecurityContext {
  const context = { ...given };
  const group = defaultId(policy.supplementalGroups);
  if (context.supplementalGroups === undefined && group !== undefined) context.supplementalGroups = [group];
  const fsGroup = defaultId(policy.fsGroup);
  if (context.fsGroup === undefined && fsGroup !== undefined) context.fsGroup = fsGroup;
  const label = defaultLabel(policy.seLinux);
  if (context.seLinuxOptions === undefined && label !== undefined) context.seLinuxOptions = { ...label };
  return context;
}

function containerDefaults(
  policy: PodSecurityPolicySpec,
  ofPod: PodSecurityContext = {},
  { securityContext: given = {} }: Container,
): SecurityContext {
  const context = { ...given };
  const user = defaultId(policy.runAsUser);
  if ((context.runAsUser ?? ofPod.runAsUser) === undefined && user !== undefined) context.runAsUser = user;
  const label = defaultLabel(policy.seLinux);
  if ((context.seLinuxOptions ?? ofPod.seLinuxOptions) === undefined && label !== undefined)
    context.seLinuxOptions = { ...label };
  // The node checks the image's user where no user is set.
  const isOpen =
    (context.runAsNonRoot ?? ofPod.runAsNonRoot) === undefined && (context.runAsUser ?? ofPod.runAsUser) === undefined;
  if (policy.runAsUser.rule === 'MustRunAsNonRoot' && isOpen) context.runAsNonRoot = true;
  const capabilities = withDefaultCapabilities(policy, context.capabilities);
  if (!semanticDeepEqual(capabilities, context.capabilities)) context.capabilities = capabilities!;
  if (policy.readOnlyRootFilesystem === true) context.readOnlyRootFilesystem ??= true;
  const escalation =
    policy.defaultAllowPrivilegeEscalation ?? (policy.allowPrivilegeEscalation === false ? false : undefined);
  if (escalation !== undefined) context.allowPrivilegeEscalation ??= escalation;
  return context;
}
