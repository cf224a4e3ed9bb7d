import { LabelSelector, labelRequirement } from '../apimachinery/selectors/label-selector.ts';
import type { ReplicaSet, StatefulSet } from '../generated/types/apps-v1.ts';
import type { Pod, ReplicationController, Service } from '../generated/types/core-v1.ts';
import { selectorOf } from './pod-info.ts';

/** Where the selector of a pod's company is looked up. */
export interface WorkloadLookups {
  services(namespace: string): readonly Service[];
  replicaSet(namespace: string, name: string): ReplicaSet | undefined;
  statefulSet(namespace: string, name: string): StatefulSet | undefined;
  replicationController(namespace: string, name: string): ReplicationController | undefined;
}

/** What the services that select a pod and the workload that it belongs to select together; undefined: none does. */
export function workloadSelectorOf({ metadata }: Pod, lookups: WorkloadLookups): LabelSelector | undefined {
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const pairs = new Map<string, string>();
  for (const { spec } of lookups.services(namespace)) {
    const selector = Object.entries(spec.selector ?? {});
    if (selector.length > 0 && selector.every(([key, value]) => labels[key] === value))
      for (const [key, value] of selector) pairs.set(key, value);
  }
  const owner = ownerReferences.find(({ controller }) => controller === true);
  let company: LabelSelector | undefined;
  switch (owner?.kind) {
    case 'ReplicaSet':
      company = selectorOf(lookups.replicaSet(namespace, owner.name)?.spec.selector ?? undefined);
      break;
    case 'StatefulSet':
      company = selectorOf(lookups.statefulSet(namespace, owner.name)?.spec.selector ?? undefined);
      break;
    case 'ReplicationController':
      for (const [key, value] of Object.entries(
        lookups.replicationController(namespace, owner.name)?.spec.selector ?? {},
      ))
        pairs.set(key, value);
  }
  const requirements = Array.from(pairs, ([key, value]) => labelRequirement(key, '=', [value]));
  if (company !== undefined && !company.matchesNothing) requirements.push(...company.requirements);
  return requirements.length === 0 ? undefined : new LabelSelector(requirements);
}
