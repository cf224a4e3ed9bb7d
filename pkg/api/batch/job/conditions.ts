import type { JobCondition, JobStatus } from '../../../generated/types/batch-v1.ts';

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

/** The condition by which the job is over: `Complete` or `Failed`. */
export function finishedCondition({ conditions }: JobStatus): JobCondition | undefined {
  return conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}
