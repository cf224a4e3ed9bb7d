import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { Deployment, DeploymentStatus } from '../../generated/types/apps-v1.ts';
import { cleanUp } from './clean-up.ts';
import { conditionOf, isComplete, TIMED_OUT, untilDeadlineMs, withCondition } from './conditions.ts';
import { ensureCurrentSet, type Rollout } from './current-set.ts';
import { countedStatus, rolloutStatus } from './new-status.ts';
import { sortReplicaSets } from './replica-sets.ts';
import { recreate, rollUpdate } from './roll-update.ts';
import { rollBack, rollbackRevision } from './roll-back.ts';
import { isScaled, scale } from './scale.ts';
import { withStatus, type DeploymentSteps } from './steps.ts';
import { hasProgressDeadline, isRollingUpdate } from './strategy-limits.ts';

/** One deployment: one step towards its template and its size. Gives the milliseconds until its deadline. */
export async function reconcile(given: Deployment, steps: DeploymentSteps): Promise<number | undefined> {
  if (selectsEverything(given)) {
    const note = 'This deployment is selecting all pods. A non-empty selector is required.';
    steps.event(given, 'Warning', 'SelectingAll', note);
    await noteGeneration(given, steps);
    return undefined;
  }
  const sets = sortReplicaSets(given, await steps.claimSets(given));
  const found = { deployment: given, sets };
  if (given.metadata.deletionTimestamp !== undefined) {
    await writeStatus(given, countedStatus(given, sets, steps.nowMs()), steps);
    return undefined;
  }
  const deployment = await notePause(given, steps);
  const rollout = { deployment, sets };
  if (deployment.spec.paused === true) return sync(rollout, steps);
  const revision = rollbackRevision(deployment);
  if (revision !== undefined) {
    await rollBack(rollout, revision, steps);
    return undefined;
  }
  if (isScaled(found)) return sync(rollout, steps);
  const after = isRollingUpdate(deployment) ? await rollUpdate(rollout, steps) : await recreate(rollout, steps);
  if (isComplete(after.deployment, after.deployment.status)) await cleanUp(after, steps);
  return finish(after, steps);
}

/** Sizes and status alone: for a deployment that is paused, or was scaled. */
async function sync(rollout: Rollout, steps: DeploymentSteps): Promise<undefined> {
  const known = await ensureCurrentSet(rollout, steps, false);
  const scaled = await scale(known, steps);
  if (scaled.deployment.spec.paused === true && rollbackRevision(scaled.deployment) === undefined)
    await cleanUp(scaled, steps);
  await writeStatus(scaled.deployment, countedStatus(scaled.deployment, scaled.sets, steps.nowMs()), steps);
}

async function finish({ deployment, sets }: Rollout, steps: DeploymentSteps): Promise<number | undefined> {
  const status = rolloutStatus(deployment, sets, steps.nowMs());
  await writeStatus(deployment, status, steps);
  return untilDeadlineMs(deployment, status, steps.nowMs());
}

async function writeStatus(deployment: Deployment, status: DeploymentStatus, steps: DeploymentSteps): Promise<void> {
  if (!deepEqual(status, deployment.status)) await steps.updateStatus(withStatus(deployment, status));
}

/** The deadline does not run while a deployment is paused. */
async function notePause(deployment: Deployment, steps: DeploymentSteps): Promise<Deployment> {
  const { conditions = [] } = deployment.status;
  const progressing = conditionOf(conditions, 'Progressing');
  if (!hasProgressDeadline(deployment) || progressing?.reason === TIMED_OUT) return deployment;
  const wasPaused = progressing?.reason === 'DeploymentPaused';
  const isPaused = deployment.spec.paused === true;
  if (wasPaused === isPaused) return deployment;
  const [reason, message] = isPaused
    ? (['DeploymentPaused', 'Deployment is paused'] as const)
    : (['DeploymentResumed', 'Deployment is resumed'] as const);
  const condition = { type: 'Progressing', status: 'Unknown', reason, message } as const;
  const changed = [...withCondition(conditions, condition, steps.nowMs())];
  return steps.updateStatus(withStatus(deployment, { ...deployment.status, conditions: changed }));
}

async function noteGeneration(deployment: Deployment, steps: DeploymentSteps): Promise<void> {
  const { metadata, status } = deployment;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    await steps.updateStatus(withStatus(deployment, { ...status, observedGeneration: metadata.generation }));
}

function selectsEverything({ spec: { selector } }: Deployment): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
}
