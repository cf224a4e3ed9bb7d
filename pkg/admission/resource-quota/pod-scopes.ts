import { qosClass } from '../../api/core/pod/qos-class.ts';
import type { Pod, PodAffinityTerm, ScopedResourceSelectorRequirement } from '../../generated/types/core-v1.ts';

/** Whether a pod is in a scope of a quota. */
export function podInScope(pod: Pod, { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): boolean {
  const { spec } = pod;
  switch (scopeName) {
    case 'Terminating': return spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;
    case 'NotTerminating': return spec.activeDeadlineSeconds === undefined || spec.activeDeadlineSeconds < 0;
    case 'BestEffort': return qosClass(spec) === 'BestEffort';
    case 'NotBestEffort': return qosClass(spec) !== 'BestEffort';
    case 'PriorityClass': return hasPriority(spec.priorityClassName ?? '', operator, values);
    case 'CrossNamespacePodAffinity': return reachesOtherNamespaces(pod);
    default: return false;
  }
}

function hasPriority(name: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'Exists': return name !== '';
    case 'DoesNotExist': return name === '';
    case 'In': return name !== '' && values.includes(name);
    case 'NotIn': return name === '' || !values.includes(name);
    default: return false;
  }
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => (
    affinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(namesNamespaces) === true
    || affinity?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }) => namesNamespaces(podAffinityTerm)) === true));
}

function namesNamespaces({ namespaces, namespaceSelector }: PodAffinityTerm): boolean {
  return (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined;
}
