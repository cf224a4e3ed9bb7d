import type { JobStatus } from '../../../generated/types/batch-v1.ts';

/** Types of conditions that the API knows. */
export type JobConditionType = 'Complete' | 'Failed' | 'Suspended' | 'FailureTarget' | 'SuccessCriteriaMet';

export function isConditionTrue(status: JobStatus, type: JobConditionType): boolean {
  return hasCondition(status, type, 'True');
}

export function hasCondition({ conditions }: JobStatus, type: JobConditionType, value: 'True' | 'False'): boolean {
  return (conditions ?? []).some((condition) => condition.type === type && condition.status === value);
}

export function isFinished(status: JobStatus): boolean {
  return isConditionTrue(status, 'Complete') || isConditionTrue(status, 'Failed');
}
