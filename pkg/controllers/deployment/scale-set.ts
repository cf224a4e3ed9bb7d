import type { Deployment, ReplicaSet } from '../../generated/types/apps-v1.ts';
import { desiredReplicasOf, maxReplicasOf, scaledAnnotations } from './replica-set-annotations.ts';
import { replicasOf } from './replica-sets.ts';
import type { DeploymentSteps } from './steps.ts';
import { maxSurge } from './strategy-limits.ts';

/** Sets the size of a replica set, and what the deployment wanted then. Gives it as it is afterwards. */
export async function scaleSet(
  deployment: Deployment,
  set: ReplicaSet,
  size: number,
  steps: DeploymentSteps,
): Promise<ReplicaSet> {
  const before = replicasOf(set);
  const desired = deployment.spec.replicas ?? 1;
  const max = desired + maxSurge(deployment);
  if (before === size && desiredReplicasOf(set) === desired && maxReplicasOf(set) === max) return set;
  const updated = await steps.updateSet({
    ...set,
    metadata: { ...set.metadata, annotations: scaledAnnotations(set, desired, max) },
    spec: { ...set.spec, replicas: size },
  });
  if (before !== size) {
    const direction = size > before ? 'up' : 'down';
    const note = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`;
    steps.event(deployment, 'Normal', 'ScalingReplicaSet', note);
  }
  return updated;
}
