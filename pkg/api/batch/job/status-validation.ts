import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import { type FieldErrors, OMIT_VALUE } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Job, JobStatus } from '../../../generated/types/batch-v1.ts';
import { validateCounts } from '../../apps/counts.ts';
import { hasCondition, isConditionTrue, isFinished, type JobConditionType } from './conditions.ts';
import { commonIndex, parseIndexes } from './index-intervals.ts';

/**
 * Rules of a job's status, which other controllers may write (`managedBy`). A rule about fields that an update leaves
 * unchanged does not apply: a change of the spec may have made them wrong, and the controller has to be able to correct
 * them.
 */
export function validateJobStatusUpdate(job: Job, old: Job, errors: FieldErrors): void {
  const path = field('status');
  const { status } = job;
  validateCounts(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], path, errors);
  validateUncounted(status, path.child('uncountedTerminatedPods'), errors);
  const changed = changesOf(status, old.status);
  validateEnd(status, changed, path, errors);
  validateFinished(job, changed, path, errors);
  validateIndexTexts(job, changed, path, errors);
  const { terminating = 0, ready, active = 0 } = status;
  if ((changed.finished || changed.terminating) && terminating > 0 && isFinished(status))
    errors.invalid(path.child('terminating'), terminating, 'terminating>0 is invalid for finished job');
  if ((changed.ready || changed.active) && ready !== undefined && ready > active)
    errors.invalid(path.child('ready'), ready, 'cannot set more ready pods than active');
  validateSuccessCriteria(job, path.child('conditions'), errors);
  validateTransition(job, old, path, errors);
}

type Changes = ReturnType<typeof changesOf>;

/** The fields that an update changes. */
function changesOf(status: JobStatus, old: JobStatus) {
  const condition = (type: JobConditionType): boolean => isConditionTrue(status, type) !== isConditionTrue(old, type);
  const value = (name: keyof JobStatus): boolean => !semanticDeepEqual(status[name], old[name]);
  return {
    finished: isFinished(status) !== isFinished(old),
    complete: condition('Complete'),
    failed: condition('Failed'),
    failureTarget: condition('FailureTarget'),
    successCriteria: condition('SuccessCriteriaMet'),
    completedIndexes: value('completedIndexes'),
    failedIndexes: value('failedIndexes'),
    active: value('active'),
    ready: value('ready'),
    terminating: value('terminating'),
    startTime: value('startTime'),
    completionTime: value('completionTime'),
    uncounted: value('uncountedTerminatedPods'),
  };
}

function validateUncounted({ uncountedTerminatedPods }: JobStatus, path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const name of ['succeeded', 'failed'] as const) {
    for (const [i, uid] of (uncountedTerminatedPods?.[name] ?? []).entries()) {
      const uidPath = path.child(name).index(i);
      if (uid === '') errors.invalid(uidPath, uid, 'must not be empty');
      else if (seen.has(uid)) errors.duplicate(uidPath, uid);
      seen.add(uid);
    }
  }
}

/** A job ends in one way, which is announced before, and a completed one has a time. */
function validateEnd(status: JobStatus, changed: Changes, path: FieldPath, errors: FieldErrors): void {
  const conditionsPath = path.child('conditions');
  const timePath = path.child('completionTime');
  const [complete, failed, failureTarget] = (['Complete', 'Failed', 'FailureTarget'] as const).map((type) =>
    isConditionTrue(status, type),
  );
  const { startTime, completionTime } = status;
  const wrong = (problem: string): void => errors.invalid(conditionsPath, OMIT_VALUE, problem);
  if ((changed.complete || changed.failed) && complete && failed)
    wrong('cannot set Complete=True and Failed=true conditions');
  if ((changed.complete || changed.failureTarget) && complete && failureTarget)
    wrong('cannot set Complete=True and FailureTarget=true conditions');
  if (changed.complete || changed.completionTime) {
    if (completionTime !== undefined && !complete)
      errors.invalid(timePath, completionTime, 'cannot set completionTime when there is no Complete=True condition');
    if (completionTime === undefined && complete)
      errors.required(timePath, 'completionTime is required for Complete jobs');
  }
  if (
    (changed.startTime || changed.completionTime) &&
    startTime !== undefined &&
    completionTime !== undefined &&
    Date.parse(completionTime) < Date.parse(startTime)
  ) {
    errors.invalid(timePath, completionTime, 'must be equal to or after `startTime`');
  }
  if ((changed.failed || changed.failedIndexes) && failed && !failureTarget)
    wrong('cannot set Failed=True condition without the FailureTarget=true condition');
  if ((changed.complete || changed.successCriteria) && complete && !isConditionTrue(status, 'SuccessCriteriaMet')) {
    wrong('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
}

/** A job that has ended has started and has no active pods. */
function validateFinished({ spec, status }: Job, changed: Changes, path: FieldPath, errors: FieldErrors): void {
  if (!isFinished(status)) return;
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  const neverMeantToStart = spec.suspend === true && spec.completions === 0;
  if ((changed.finished || changed.active) && active > 0)
    errors.invalid(path.child('active'), active, 'active>0 is invalid for finished job');
  if ((changed.finished || changed.startTime) && !neverMeantToStart && startTime === undefined)
    errors.required(path.child('startTime'), 'startTime is required for finished job');
  if (
    (changed.finished || changed.uncounted) &&
    (uncounted?.failed?.length ?? 0) + (uncounted?.succeeded?.length ?? 0) > 0
  ) {
    errors.invalid(path.child('uncountedTerminatedPods'), uncounted, 'must be empty for finished job');
  }
}

function validateIndexTexts({ spec, status }: Job, changed: Changes, path: FieldPath, errors: FieldErrors): void {
  const { completions, backoffLimitPerIndex } = spec;
  const { completedIndexes: completed = '', failedIndexes: failed } = status;
  const completedPath = path.child('completedIndexes');
  const failedPath = path.child('failedIndexes');
  const check = (text: string, textPath: FieldPath, name: string): void => {
    const indexes = completions === undefined ? { count: 0 } : parseIndexes(text, completions);
    if ('problem' in indexes) errors.invalid(textPath, text, `error parsing ${name}: ${indexes.problem}`);
  };
  if (changed.completedIndexes) check(completed, completedPath, 'completedIndexes');
  if (changed.failedIndexes && backoffLimitPerIndex !== undefined && failed !== undefined)
    check(failed, failedPath, 'failedIndexes');
  if (changed.completedIndexes && completed !== '' && spec.completionMode !== 'Indexed') {
    errors.invalid(completedPath, completed, 'cannot set non-empty completedIndexes when non-indexed completion mode');
  }
  if (changed.failedIndexes && backoffLimitPerIndex === undefined && failed !== undefined) {
    errors.invalid(failedPath, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null');
  }
  if (!(changed.failedIndexes || changed.completedIndexes) || completions === undefined || failed === undefined) return;
  const common = commonIndex(completed, failed, completions);
  if (common !== undefined)
    errors.invalid(failedPath, failed, `failedIndexes and completedIndexes overlap at index: ${common}`);
}

/** Met success criteria exclude failure, and come before completion where there is a policy. */
function validateSuccessCriteria({ spec, status }: Job, path: FieldPath, errors: FieldErrors): void {
  const isMet = isConditionTrue(status, 'SuccessCriteriaMet');
  if (isMet && isConditionTrue(status, 'Failed'))
    errors.invalid(path, OMIT_VALUE, 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (isMet && isConditionTrue(status, 'FailureTarget'))
    errors.invalid(path, OMIT_VALUE, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (spec.successPolicy !== undefined && !isMet && isConditionTrue(status, 'Complete')) {
    errors.invalid(
      path,
      OMIT_VALUE,
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
    );
  }
}

/** Conditions that are set stay so. */
function validateTransition({ spec, status }: Job, { status: old }: Job, path: FieldPath, errors: FieldErrors): void {
  const conditionsPath = path.child('conditions');
  for (const type of ['Failed', 'Complete', 'FailureTarget'] as const) {
    if (isConditionTrue(old, type) && !isConditionTrue(status, type))
      errors.invalid(conditionsPath, OMIT_VALUE, `cannot disable the terminal ${type}=True condition`);
  }
  const mayShrink = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  for (const name of ['failed', 'succeeded'] as const) {
    if ((name === 'failed' || !mayShrink) && (status[name] ?? 0) < (old[name] ?? 0))
      errors.invalid(path.child(name), status[name] ?? 0, `cannot decrease the ${name} counter`);
  }
  const { completionTime, startTime } = status;
  if (completionTime !== undefined && old.completionTime !== undefined && completionTime !== old.completionTime)
    errors.invalid(path.child('completionTime'), completionTime, FIELD_IMMUTABLE);
  const isResuming = hasCondition(old, 'Suspended', 'True') && hasCondition(status, 'Suspended', 'False');
  if (old.startTime !== undefined && startTime !== old.startTime && spec.suspend !== true && !isResuming) {
    errors.invalid(path.child('startTime'), startTime ?? null, 'field is immutable for unsuspended job once set');
  }
  const [wasMet, isMet] = [old, status].map((s) => isConditionTrue(s, 'SuccessCriteriaMet'));
  if (wasMet && !isMet)
    errors.invalid(conditionsPath, OMIT_VALUE, 'cannot disable the SuccessCriteriaMet=True condition');
  if (isConditionTrue(old, 'Complete') && !wasMet && isMet)
    errors.invalid(
      conditionsPath,
      OMIT_VALUE,
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    );
}
