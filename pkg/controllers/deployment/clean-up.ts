import type { ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { Rollout } from './current-set.ts';
import { revisionOf } from './replica-set-annotations.ts';
import { byCreation, replicasOf } from './replica-sets.ts';
import type { DeploymentSteps } from './steps.ts';

const NO_LIMIT = 2 ** 31 - 1;

/** Deletes the oldest sets without pods beyond those that are kept to go back to. */
export async function cleanUp({ deployment, sets }: Rollout, steps: DeploymentSteps): Promise<void> {
  const { revisionHistoryLimit } = deployment.spec;
  if (revisionHistoryLimit === undefined || revisionHistoryLimit === NO_LIMIT) return;
  const kept = sets.old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = kept.length - revisionHistoryLimit;
  if (surplus <= 0) return;
  const byRevision = kept.toSorted((a, b) => revisionOf(a) - revisionOf(b) || byCreation(a, b));
  for (const set of byRevision.slice(0, surplus)) if (isEmpty(set)) await steps.deleteSet(set);
}

function isEmpty(set: ReplicaSet): boolean {
  const { metadata, status } = set;
  return (
    replicasOf(set) === 0 && status.replicas === 0 && (metadata.generation ?? 0) <= (status.observedGeneration ?? 0)
  );
}
