import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import type { PodSpec } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { handles, writesContainers } from '../handles.ts';

/** For clusters without a policy on security contexts: pods may set neither users, groups nor SELinux labels. */
export function securityContextDenyPlugin(): AdmissionPlugin {
  return {
    name: 'SecurityContextDeny',
    validate: handles(writesContainers, (request) => {
      const chosen = chosenSetting(request.object.spec);
      if (chosen !== undefined) throw refusal(request, `${chosen} is forbidden`);
    }),
  };
}

function chosenSetting(spec: PodSpec): string | undefined {
  const { securityContext } = spec;
  const ofPod = 'pod.Spec.SecurityContext';
  if (securityContext?.supplementalGroups !== undefined) return `${ofPod}.SupplementalGroups`;
  if (securityContext?.seLinuxOptions !== undefined) return `${ofPod}.SELinuxOptions`;
  if (securityContext?.runAsUser !== undefined) return `${ofPod}.RunAsUser`;
  if (securityContext?.fsGroup !== undefined) return `${ofPod}.FSGroup`;
  for (const [container] of eachContainer(spec, field('spec'))) {
    if (container.securityContext?.seLinuxOptions !== undefined) return 'SecurityContext.SELinuxOptions';
    if (container.securityContext?.runAsUser !== undefined) return 'SecurityContext.RunAsUser';
  }
  return undefined;
}
