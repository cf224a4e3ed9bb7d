import type { Deployment, DeploymentStatus, ReplicaSet } from '../../generated/types/apps-v1.ts';
import { withoutZeros } from '../owned/without-zeros.ts';
import {
  AVAILABLE,
  conditionOf,
  hasProgressed,
  hasTimedOut,
  isComplete,
  subjectOf,
  TIMED_OUT,
  withCondition,
  withoutCondition,
  withProgress,
  type NewCondition,
} from './conditions.ts';
import { actualReplicas, allOf, availableReplicas, wantedReplicas, type ReplicaSets } from './replica-sets.ts';
import { hasProgressDeadline, maxUnavailable } from './strategy-limits.ts';

/** What the replica sets say together. */
export function countedStatus(deployment: Deployment, sets: ReplicaSets, nowMs: number): DeploymentStatus {
  const all = allOf(sets);
  const available = availableReplicas(all);
  const isAvailable = available >= (deployment.spec.replicas ?? 1) - maxUnavailable(deployment);
  const condition: NewCondition = isAvailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  const terminating = terminatingReplicas(all);
  const { collisionCount, conditions = [] } = deployment.status;
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: actualReplicas(all),
    updatedReplicas: sets.current === undefined ? 0 : sets.current.status.replicas,
    readyReplicas: all.reduce((sum, { status }) => sum + (status.readyReplicas ?? 0), 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wantedReplicas(all) - available),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: [...withCondition(conditions, condition, nowMs)],
  };
  return withoutZeros(status, ['terminatingReplicas', 'collisionCount']);
}

/** The counted status, with what there is to say of the progress. */
export function rolloutStatus(deployment: Deployment, sets: ReplicaSets, nowMs: number): DeploymentStatus {
  const status = countedStatus(deployment, sets, nowMs);
  return { ...status, conditions: [...rolloutConditions(deployment, sets, status, nowMs)] };
}

function rolloutConditions(
  deployment: Deployment,
  sets: ReplicaSets,
  status: DeploymentStatus,
  nowMs: number,
): NonNullable<DeploymentStatus['conditions']> {
  let conditions = status.conditions ?? [];
  if (!hasProgressDeadline(deployment)) conditions = [...withoutCondition(conditions, 'Progressing')];
  const before = conditionOf(deployment.status.conditions, 'Progressing');
  const wasComplete = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && before?.reason === AVAILABLE;
  const subject = subjectOf(deployment, sets.current);
  const progressing = (state: NewCondition['status'], reason: string, what: string): NewCondition => ({
    type: 'Progressing',
    status: state,
    reason,
    message: `${subject} ${what}.`,
  });
  if (hasProgressDeadline(deployment) && !wasComplete) {
    if (isComplete(deployment, status))
      conditions = [...withCondition(conditions, progressing('True', AVAILABLE, 'has successfully progressed'), nowMs)];
    else if (hasProgressed(deployment.status, status))
      conditions = [...withProgress(conditions, progressing('True', 'ReplicaSetUpdated', 'is progressing'), nowMs)];
    else if (hasTimedOut(deployment, conditions, nowMs))
      conditions = [...withCondition(conditions, progressing('False', TIMED_OUT, 'has timed out progressing'), nowMs)];
  }
  const failure = replicaFailure(sets);
  return failure === undefined
    ? [...withoutCondition(conditions, 'ReplicaFailure')]
    : [...withCondition(conditions, failure, nowMs)];
}

/** What keeps replica sets from creating pods: the current one's first. */
function replicaFailure(sets: ReplicaSets): NewCondition | undefined {
  for (const set of sets.current === undefined ? sets.old : [sets.current, ...sets.old]) {
    const failed = set.status.conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (failed !== undefined)
      return {
        type: 'ReplicaFailure',
        status: failed.status as NewCondition['status'],
        reason: failed.reason ?? '',
        message: failed.message ?? '',
        since: failed.lastTransitionTime,
      };
  }
  return undefined;
}

/** Undefined where one of the sets does not count them. */
function terminatingReplicas(sets: readonly ReplicaSet[]): number | undefined {
  let sum = 0;
  for (const { status } of sets) {
    if (status.terminatingReplicas === undefined) return undefined;
    sum += status.terminatingReplicas;
  }
  return sum;
}
