import { qosClass } from '../../pod/qos-class.ts';
import type { Pod, PodAffinityTerm, ScopedResourceSelectorRequirement } from '../../../../generated/types/core-v1.ts';
import { isSelected } from './quota-scopes.ts';

/** Whether a pod is in a scope of a quota. */
export function podInScope(pod: Pod, scope: ScopedResourceSelectorRequirement): boolean {
  const { spec } = pod;
  switch (scope.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort';
    case 'PriorityClass':
      return isSelected(spec.priorityClassName ?? '', scope);
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(pod);
    default:
      return false;
  }
}

/** A pod that is given a deadline leaves the quotas of long-running ones. */
export function hasDeadline({ spec: { activeDeadlineSeconds } }: Pod): boolean {
  return activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0;
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return [podAffinity, podAntiAffinity].some(
    (affinity) =>
      affinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(namesNamespaces) === true ||
      affinity?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }) =>
        namesNamespaces(podAffinityTerm),
      ) === true,
  );
}

function namesNamespaces({ namespaces, namespaceSelector }: PodAffinityTerm): boolean {
  return (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined;
}
