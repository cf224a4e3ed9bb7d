import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goLabelSelector, goQuote, goStringMap, goText } from '../../../apimachinery/values/go-format.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { isDns1123Label, nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE, validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { Job, JobSpec } from '../../../generated/types/batch-v1.ts';
import { validateCounts } from '../../apps/counts.ts';
import { compileSelector, validateSelectorMatches } from '../../apps/pod-template.ts';
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts';
import type { ClusterPolicy, StrategyContext } from '../../resource-definition.ts';
import { validateImmutableSelector } from '../../validation/immutable-selector.ts';
import { validateManagedBy, validateReplacementPolicy } from './ownership.ts';
import { validateCompletionMode, validateSuccessPolicy } from './indexed.ts';
import { validatePodFailurePolicy } from './pod-failure-policy.ts';
import {
  CONTROLLER_UID_LABEL,
  JOB_NAME_LABEL,
  LEGACY_CONTROLLER_UID_LABEL,
  LEGACY_JOB_NAME_LABEL,
} from './strategy.ts';
import { validateTemplateUpdate } from './template-update.ts';

export const validateJobName = nameIsDns1123Subdomain;

export function validateJob(object: Job, errors: FieldErrors, { policy }: StrategyContext): void {
  validateGeneratedSelector(object, true, errors);
  validateJobSpec(object.spec, policy, field('spec'), errors);
  validatePodHostnames(object, errors);
}

/**
 * Where the server makes the selector, it and the template's labels name this very job. Jobs of old releases have only
 * the labels without prefix.
 */
function validateGeneratedSelector({ metadata, spec }: Job, withPrefixedLabels: boolean, errors: FieldErrors): void {
  if (spec.manualSelector === true || spec.selector === undefined) return;
  const { uid = '', name = '' } = metadata;
  if (uid === '') errors.required(field('metadata', 'uid'));
  const expected: [label: string, value: string][] = [
    [LEGACY_CONTROLLER_UID_LABEL, uid],
    [LEGACY_JOB_NAME_LABEL, name],
  ];
  if (withPrefixedLabels) expected.push([CONTROLLER_UID_LABEL, uid], [JOB_NAME_LABEL, name]);
  const labelsPath = field('spec', 'template', 'metadata', 'labels');
  const labels = spec.template.metadata.labels;
  for (const [key, value] of expected) {
    const actual = getKey<string>(labels, key);
    if (actual === undefined) errors.required(labelsPath.key(key), `must be '${value}'`);
    else if (actual !== value) errors.invalid(labelsPath.key(key), goStringMap(labels), `must be '${value}'`);
  }
  const selector = compileSelector(spec.selector);
  if (selector === undefined || selector.matches(Object.fromEntries(expected))) return;
  errors.invalid(field('spec', 'selector'), goLabelSelector(spec.selector), '`selector` not auto-generated');
}

function validateJobSpec(spec: JobSpec, policy: ClusterPolicy, path: FieldPath, errors: FieldErrors): void {
  validateJobSpecOfTemplate(spec, policy, path, errors);
  if (spec.selector === undefined) errors.required(path.child('selector'));
  else validateLabelSelector(spec.selector, path.child('selector'), errors);
  const selector = compileSelector(spec.selector);
  if (selector !== undefined) validateSelectorMatches(selector, spec.template, path.child('template'), errors);
}

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** The rules for jobs and for the templates of cron jobs, except the selector's. */
export function validateJobSpecOfTemplate(
  spec: JobSpec,
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateCounts(spec, COUNTS, path, errors);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified');
  validateManagedBy(spec.managedBy, path.child('managedBy'), errors);
  validateCompletionMode(spec, path, errors);
  if (spec.podFailurePolicy !== undefined)
    validatePodFailurePolicy(spec, spec.podFailurePolicy, path.child('podFailurePolicy'), errors);
  if (spec.successPolicy !== undefined)
    validateSuccessPolicy(spec, spec.successPolicy, path.child('successPolicy'), errors);
  validateReplacementPolicy(spec, path.child('podReplacementPolicy'), errors);
  validatePodTemplateSpec(spec.template, policy, path.child('template'), errors);
  const restartPath = path.child('template', 'spec', 'restartPolicy');
  const { restartPolicy = '' } = spec.template.spec;
  if (restartPolicy === '' || restartPolicy === 'Always') {
    errors.required(restartPath, `valid values: ${goQuote('OnFailure')}, ${goQuote('Never')}`);
  } else if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    errors.notSupported(restartPath, restartPolicy, ['OnFailure', 'Never']);
  } else if (spec.podFailurePolicy !== undefined && restartPolicy !== 'Never') {
    errors.invalid(restartPath, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}

/** Pods of an indexed job carry their index in their host name, which is a label. */
function validatePodHostnames({ metadata, spec }: Job, errors: FieldErrors): void {
  if (spec.completionMode !== 'Indexed' || spec.completions === undefined || spec.completions <= 0) return;
  const last = `${metadata.name}-${spec.completions - 1}`;
  if (isDns1123Label(last).length === 0) return;
  errors.invalid(
    field('metadata', 'name'),
    metadata.name ?? '',
    `will not able to create pod with invalid DNS label: ${last}`,
  );
}

export function validateJobUpdate(object: Job, old: Job, errors: FieldErrors, { policy }: StrategyContext): void {
  const path = field('spec');
  const { labels } = old.spec.template.metadata;
  validateGeneratedSelector(
    object,
    getKey(labels, JOB_NAME_LABEL) !== undefined && getKey(labels, CONTROLLER_UID_LABEL) !== undefined,
    errors,
  );
  validateJobSpec(object.spec, policy, path, errors);
  validatePodHostnames(object, errors);
  // As in stock servers, the rules of creation and those of updates both include the spec's: errors are reported twice.
  validateJobSpec(object.spec, policy, path, errors);
  validateCompletionsUpdate(object.spec, old.spec, path.child('completions'), errors);
  validateImmutableSelector(object.spec.selector, old.spec.selector, path.child('selector'), errors);
  validateTemplateUpdate(object.spec.template, old, path.child('template'), errors);
  validateImmutableField(object.spec.completionMode, old.spec.completionMode, path.child('completionMode'), errors);
  validateUnchanged('podFailurePolicy', object.spec, old.spec, path, errors);
  validateImmutableField(
    object.spec.backoffLimitPerIndex,
    old.spec.backoffLimitPerIndex,
    path.child('backoffLimitPerIndex'),
    errors,
  );
  validateImmutableField(object.spec.managedBy, old.spec.managedBy, path.child('managedBy'), errors);
  validateUnchanged('successPolicy', object.spec, old.spec, path, errors);
}

function validateUnchanged(
  name: 'podFailurePolicy' | 'successPolicy',
  spec: JobSpec,
  old: JobSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!semanticDeepEqual(spec[name], old[name]))
    errors.invalid(path.child(name), goText(`batch.${name}{...}`), FIELD_IMMUTABLE);
}

/** An indexed job may change its size as long as all of its indexes may run at once. */
function validateCompletionsUpdate(spec: JobSpec, old: JobSpec, path: FieldPath, errors: FieldErrors): void {
  if (spec.completionMode !== 'Indexed') validateImmutableField(spec.completions, old.completions, path, errors);
  else if (
    spec.completions !== undefined &&
    spec.completions !== old.completions &&
    spec.completions !== spec.parallelism
  ) {
    errors.invalid(path, spec.completions, 'can only be modified in tandem with spec.parallelism');
  }
}
