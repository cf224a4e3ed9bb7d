import { formatTime } from '../../apimachinery/values/time.ts';
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../generated/types/apps-v1.ts';
import { hasProgressDeadline } from './strategy-limits.ts';

export const TIMED_OUT = 'ProgressDeadlineExceeded';
export const AVAILABLE = 'NewReplicaSetAvailable';

export type ConditionType = 'Available' | 'Progressing' | 'ReplicaFailure';

export interface NewCondition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Where the condition is that of a replica set: since when; RFC 3339. */
  readonly since?: string | null | undefined;
}

type Conditions = readonly DeploymentCondition[];

export function conditionOf(conditions: Conditions | undefined, type: ConditionType): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Nothing changes where the condition says the same with the same reason; else it comes last. */
export function withCondition(conditions: Conditions, condition: NewCondition, nowMs: number): Conditions {
  const known = conditionOf(conditions, condition.type);
  if (known?.status === condition.status && known.reason === condition.reason) return conditions;
  const lastTransitionTime = known?.status === condition.status ? known.lastTransitionTime : undefined;
  return replaced(conditions, condition, lastTransitionTime, nowMs);
}

/** The same also where nothing but the time changes: there was progress again. */
export function withProgress(conditions: Conditions, condition: NewCondition, nowMs: number): Conditions {
  const known = conditionOf(conditions, condition.type);
  const lastTransitionTime = known?.status === 'True' ? known.lastTransitionTime : undefined;
  return replaced(conditions, condition, lastTransitionTime, nowMs);
}

export function withoutCondition(conditions: Conditions, type: ConditionType): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}

function replaced(
  conditions: Conditions,
  { type, status, reason, message, since }: NewCondition,
  lastTransitionTime: string | null | undefined,
  nowMs: number,
): Conditions {
  const time = since ?? formatTime(new Date(nowMs));
  return [
    ...withoutCondition(conditions, type),
    { type, status, lastUpdateTime: time, lastTransitionTime: lastTransitionTime ?? time, reason, message },
  ];
}

/** Whether every replica is of the current template and available, and no other is there. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  const replicas = spec.replicas ?? 1;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

/** Whether the new status is nearer to completion than the one before. */
export function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** Whether the last progress is longer ago than the deadline. */
export function hasTimedOut(deployment: Deployment, conditions: Conditions, nowMs: number): boolean {
  const progressing = conditionOf(conditions, 'Progressing');
  if (!hasProgressDeadline(deployment) || progressing === undefined || progressing.reason === AVAILABLE) return false;
  return progressing.reason === TIMED_OUT || nowMs > deadlineMs(deployment, progressing);
}

/** Milliseconds until the deadline is to be looked at; undefined: there is none to wait for. */
export function untilDeadlineMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const progressing = conditionOf(status.conditions, 'Progressing');
  if (!hasProgressDeadline(deployment) || progressing === undefined) return undefined;
  // Where a rollout has succeeded, lost replicas do not start its deadline again.
  if (isComplete(deployment, status) || [TIMED_OUT, AVAILABLE].includes(progressing.reason ?? '')) return undefined;
  const leftMs = deadlineMs(deployment, progressing) - nowMs;
  // A second more: times in conditions are whole seconds.
  return leftMs < 1000 ? 1000 : leftMs + 1000;
}

/** `ReplicaSet "web-5d9" has timed out progressing.`, or of the deployment where there is no set yet. */
export function subjectOf(deployment: Deployment, current: ReplicaSet | undefined): string {
  return current === undefined
    ? `Deployment ${JSON.stringify(deployment.metadata.name)}`
    : `ReplicaSet ${JSON.stringify(current.metadata.name)}`;
}

function deadlineMs({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number {
  return Date.parse(lastUpdateTime ?? '') + (spec.progressDeadlineSeconds ?? 0) * 1000;
}
