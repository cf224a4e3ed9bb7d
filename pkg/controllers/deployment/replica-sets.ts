import type { Deployment, ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../generated/types/core-v1.ts';
import { hasSameFields } from '../owned/same-fields.ts';
import { revisionOf } from './replica-set-annotations.ts';

export const TEMPLATE_HASH = 'pod-template-hash';

/** The replica sets of a deployment. */
export interface ReplicaSets {
  /** The one of the current template. */
  readonly current: ReplicaSet | undefined;
  /** All others, from the oldest to the youngest. */
  readonly old: readonly ReplicaSet[];
}

export function allOf({ current, old }: ReplicaSets): readonly ReplicaSet[] {
  return current === undefined ? old : [...old, current];
}

/** Of several with the current template the oldest is the one: others may be left by a restart at a bad time. */
export function sortReplicaSets(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSets {
  const byAge = sets.toSorted(byCreation);
  const current = byAge.find(({ spec }) => isSameTemplate(spec.template, deployment.spec.template));
  return { current, old: byAge.filter((set) => set !== current) };
}

export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return hasSameFields(withoutHash(a), withoutHash(b));
}

/** A template without the label that tells the pods of one replica set from those of another. */
export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  if (template?.metadata?.labels?.[TEMPLATE_HASH] === undefined) return template;
  const { [TEMPLATE_HASH]: _, ...labels } = template.metadata.labels;
  return { ...template, metadata: { ...template.metadata, labels } };
}

export function replicasOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

/** Those that want pods. */
export function active(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.filter((set) => replicasOf(set) > 0);
}

/** Sum of what the replica sets want. */
export function wantedReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + replicasOf(set), 0);
}

/** Sum of what the replica sets have. */
export function actualReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { status }) => sum + status.replicas, 0);
}

export function availableReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { status }) => sum + (status.availableReplicas ?? 0), 0);
}

export function maxRevision(sets: readonly ReplicaSet[]): number {
  return sets.reduce((max, set) => Math.max(max, revisionOf(set)), 0);
}

/** From the oldest to the youngest; those of one second by name. */
export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (first !== second) return first < second ? -1 : 1;
  return a.metadata.name! < b.metadata.name! ? -1 : 1;
}
