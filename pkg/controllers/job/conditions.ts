import type { JobCondition } from '../../generated/types/batch-v1.ts';
import type { JobConditionType } from '../../api/batch/job/conditions.ts';

export function newCondition(
  type: JobConditionType,
  { reason, message }: Pick<JobCondition, 'reason' | 'message'>,
  now: string,
  status = 'True',
): JobCondition {
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

/**
 * The conditions with this one; undefined where nothing changes: a condition that does not hold is not added, and one
 * that has the status already stays as it is, with the same words.
 */
export function withCondition(
  conditions: readonly JobCondition[],
  condition: JobCondition,
): JobCondition[] | undefined {
  const { type, status, reason, message } = condition;
  const known = conditions.find((one) => one.type === type);
  if (known === undefined) return status === 'True' ? [...conditions, condition] : undefined;
  if (known.status === status && known.reason === reason && known.message === message) return undefined;
  return conditions.map((one) => (one === known ? condition : one));
}
