import { deepCopy, semanticDeepEqual } from '../../../apimachinery/deep.ts';
import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/field-path.ts';
import { goLabelSelector, goQuote, goStringMap, goText } from '../../../apimachinery/go-format.ts';
import { validateLabelSelector } from '../../../apimachinery/label-selector.ts';
import { isDns1123Label, nameIsDns1123Subdomain } from '../../../apimachinery/names.ts';
import { FIELD_IMMUTABLE, validateImmutableField } from '../../../apimachinery/object-meta-validation.ts';
import { getKey } from '../../../apimachinery/own-keys.ts';
import type { Job, JobSpec } from '../../../generated/types/batch-v1.ts';
import type { PodTemplateSpec } from '../../../generated/types/core-v1.ts';
import { validateCounts } from '../../apps/counts.ts';
import { compileSelector, validateSelectorMatches } from '../../apps/pod-template.ts';
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts';
import { validateImmutableSelector } from '../../validation/immutable-selector.ts';
import { validateManagedBy, validateReplacementPolicy } from './ownership.ts';
import { validateCompletionMode, validateSuccessPolicy } from './indexed.ts';
import { validatePodFailurePolicy } from './pod-failure-policy.ts';
import { CONTROLLER_UID_LABEL, hasTrackingAnnotation, JOB_NAME_LABEL, TRACKING_ANNOTATION } from './strategy.ts';

export const validateJobName = nameIsDns1123Subdomain;

export function validateJob(object: Job, errors: FieldErrors): void {
  validateGeneratedSelector(object, errors);
  validateJobSpec(object.spec, field('spec'), errors);
  validatePodHostnames(object, errors);
}

/** Where the server makes the selector, it and the template's labels name this very job. */
function validateGeneratedSelector({ metadata, spec }: Job, errors: FieldErrors): void {
  if (spec.manualSelector === true || spec.selector === undefined) return;
  const { uid = '', name = '' } = metadata;
  if (uid === '') errors.required(field('metadata', 'uid'));
  const labelsPath = field('spec', 'template', 'metadata', 'labels');
  const labels = spec.template.metadata.labels;
  for (const [key, expected] of [[CONTROLLER_UID_LABEL, uid], [JOB_NAME_LABEL, name]] as const) {
    const actual = getKey<string>(labels, key);
    if (actual === undefined) errors.required(labelsPath.key(key), `must be '${expected}'`);
    else if (actual !== expected) errors.invalid(labelsPath.key(key), goStringMap(labels), `must be '${expected}'`);
  }
  const selector = compileSelector(spec.selector);
  if (selector === undefined || selector.matches({ [CONTROLLER_UID_LABEL]: uid, [JOB_NAME_LABEL]: name })) return;
  errors.invalid(field('spec', 'selector'), goLabelSelector(spec.selector), '`selector` not auto-generated');
}

function validateJobSpec(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  validateJobSpecOfTemplate(spec, path, errors);
  if (spec.selector === undefined) errors.required(path.child('selector'));
  else validateLabelSelector(spec.selector, path.child('selector'), errors);
  const selector = compileSelector(spec.selector);
  if (selector !== undefined) validateSelectorMatches(selector, spec.template, path.child('template'), errors);
}

const COUNTS = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished', 'backoffLimitPerIndex', 'maxFailedIndexes'];

/** The rules that hold for jobs and for the templates of cron jobs, all but the selector's. */
export function validateJobSpecOfTemplate(spec: JobSpec, path: FieldPath, errors: FieldErrors): void {
  validateCounts(spec, COUNTS, path, errors);
  validateManagedBy(spec.managedBy, path.child('managedBy'), errors);
  validateCompletionMode(spec, path, errors);
  if (spec.podFailurePolicy !== undefined) validatePodFailurePolicy(spec, spec.podFailurePolicy, path.child('podFailurePolicy'), errors);
  if (spec.successPolicy !== undefined) validateSuccessPolicy(spec, spec.successPolicy, path.child('successPolicy'), errors);
  validateReplacementPolicy(spec, path.child('podReplacementPolicy'), errors);
  validatePodTemplateSpec(spec.template, path.child('template'), errors);
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
  errors.invalid(field('metadata', 'name'), metadata.name ?? '', `will not able to create pod with invalid DNS label: ${last}`);
}

export function validateJobUpdate(object: Job, old: Job, errors: FieldErrors): void {
  const path = field('spec');
  validateGeneratedSelector(object, errors);
  validateJobSpec(object.spec, path, errors);
  if (hasTrackingAnnotation(object) && !hasTrackingAnnotation(old)) {
    errors.forbidden(field('metadata', 'annotations').key(TRACKING_ANNOTATION), 'cannot add this annotation');
  }
  validatePodHostnames(object, errors);
  // As in stock servers, the rules of creation and those of updates both hold the spec's: what is wrong is said twice.
  validateJobSpec(object.spec, path, errors);
  validateImmutableField(object.spec.completions, old.spec.completions, path.child('completions'), errors);
  validateImmutableSelector(object.spec.selector, old.spec.selector, path.child('selector'), errors);
  validateTemplateUnchanged(object.spec.template, old, path.child('template'), errors);
  validateImmutableField(object.spec.completionMode, old.spec.completionMode, path.child('completionMode'), errors);
  for (const name of ['podFailurePolicy', 'successPolicy'] as const) {
    if (!semanticDeepEqual(object.spec[name], old.spec[name])) errors.invalid(path.child(name), goText(`batch.${name}{...}`), FIELD_IMMUTABLE);
  }
  validateImmutableField(object.spec.backoffLimitPerIndex, old.spec.backoffLimitPerIndex, path.child('backoffLimitPerIndex'), errors);
  validateImmutableField(object.spec.managedBy, old.spec.managedBy, path.child('managedBy'), errors);
}

/** A suspended job that never ran may still be told where its pods go. */
function validateTemplateUnchanged(template: PodTemplateSpec, old: Job, path: FieldPath, errors: FieldErrors): void {
  const placeable = old.spec.suspend === true && old.status.startTime === undefined;
  const expected = placeable ? withPlacementOf(template, old.spec.template) : old.spec.template;
  // The whole template would drown the message.
  if (!semanticDeepEqual(template, expected)) errors.invalid(path, goText('core.PodTemplateSpec{...}'), FIELD_IMMUTABLE);
}

/** The old template with the labels, annotations and node choice of the new one. */
function withPlacementOf(template: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const expected = deepCopy(old);
  const { affinity, nodeSelector, tolerations, schedulingGates } = template.spec;
  Object.assign(expected.spec, { nodeSelector, tolerations, schedulingGates });
  Object.assign(expected.metadata, { labels: template.metadata.labels, annotations: template.metadata.annotations });
  if (affinity === undefined) {
    delete expected.spec.affinity?.nodeAffinity;
    if (Object.keys(expected.spec.affinity ?? {}).length === 0) delete expected.spec.affinity;
  } else {
    expected.spec.affinity = { ...expected.spec.affinity, nodeAffinity: affinity.nodeAffinity };
  }
  return expected;
}

export function validateJobStatusUpdate({ status }: Job, _old: Job, errors: FieldErrors): void {
  const path = field('status');
  validateCounts(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], path, errors);
  const seen = new Set<string>();
  for (const name of ['succeeded', 'failed'] as const) {
    for (const [i, uid] of (status.uncountedTerminatedPods?.[name] ?? []).entries()) {
      const uidPath = path.child('uncountedTerminatedPods', name).index(i);
      if (uid === '') errors.invalid(uidPath, uid, 'must not be empty');
      else if (seen.has(uid)) errors.duplicate(uidPath, uid);
      seen.add(uid);
    }
  }
}
