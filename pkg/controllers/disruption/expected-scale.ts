import type { Pod } from '../../generated/types/core-v1.ts';
import type { OwnerReference } from '../../generated/types/meta-v1.ts';
import { controllerOf } from '../../client/reconcile/owner-references.ts';

/** What manages pods, and how many it wants. */
export interface OwnerScale {
  readonly uid: string;
  readonly replicas: number;
}

/** Undefined: there is no such owner any more. Rejects where the owner has no scale. */
export type ScaleOf = (owner: OwnerReference, namespace: string) => Promise<OwnerScale | undefined>;

export interface ExpectedScale {
  readonly count: number;
  /** Pods that nothing manages. */
  readonly unmanaged: readonly string[];
}

/** A pod has an owner that cannot be found. */
export class NoControllerError extends Error {
  constructor(pod: string) {
    super(`found no controllers for pod "${pod}"`);
    this.name = 'NoControllerError';
  }
}

/** A pod has an owner of a kind that says nowhere how many pods it wants. */
export class NoScaleError extends Error {}

/** The sum of what the owners of the pods want, each owner counted once. */
export async function expectedScale(pods: readonly Pod[], scaleOf: ScaleOf): Promise<ExpectedScale> {
  const asked = new Set<string>();
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) unmanaged.push(pod.metadata.name!);
    if (owner === undefined || asked.has(owner.uid)) continue;
    const scale = await scaleOf(owner, pod.metadata.namespace ?? '');
    if (scale === undefined) throw new NoControllerError(pod.metadata.name!);
    asked.add(owner.uid);
    scales.set(scale.uid, scale.replicas);
  }
  return { count: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}
