import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goIntOrString, goLabelSelector, goStruct } from '../../../apimachinery/values/go-format.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { DaemonSet, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from '../../../generated/types/apps-v1.ts';
import { validateReadOnlyDisks } from '../../core/pod-spec/read-only-disks.ts';
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { validateImmutableSelector } from '../../validation/immutable-selector.ts';
import {
  countOf,
  validateNotMoreThan100Percent,
  validatePositiveIntOrPercent,
} from '../../validation/int-or-percent.ts';
import { validateCollisionCount, validateCounts } from '../counts.ts';
import { compileSelector, isEmptySelector, validateAlwaysRunning, validateSelectorMatches } from '../pod-template.ts';
import { templateGeneration } from './template-generation.ts';

export const validateDaemonSetName = nameIsDns1123Subdomain;

export function validateDaemonSet(object: DaemonSet, errors: FieldErrors, { policy }: StrategyContext): void {
  const { spec } = object;
  const path = field('spec');
  const templatePath = path.child('template');
  // A missing selector has no separate error: it matches nothing, which the error of the labels reports.
  validateLabelSelector(spec.selector, path.child('selector'), errors);
  const selector = compileSelector(spec.selector);
  if (selector !== undefined) validateSelectorMatches(selector, spec.template, templatePath, errors);
  if (spec.selector !== null && isEmptySelector(spec.selector)) {
    errors.invalid(path.child('selector'), goLabelSelector(spec.selector), 'empty selector is invalid for daemonset');
  }
  validatePodTemplateSpec(spec.template, policy, templatePath, errors);
  validateReadOnlyDisks(spec.template.spec.volumes, templatePath.child('spec', 'volumes'), errors);
  validateAlwaysRunning(spec.template, 'DaemonSet', templatePath, errors);
  validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds'), errors);
  validateNonNegative(templateGeneration(object.metadata), path.child('templateGeneration'), errors);
  validateUpdateStrategy(spec.updateStrategy, path.child('updateStrategy'), errors);
  validateNonNegative(spec.revisionHistoryLimit, path.child('revisionHistoryLimit'), errors);
}

export function validateDaemonSetUpdate(
  object: DaemonSet,
  old: DaemonSet,
  errors: FieldErrors,
  context: StrategyContext,
): void {
  // As in stock servers, the rules of creation and those of updates both include the spec's: errors are reported twice.
  validateDaemonSet(object, errors, context);
  validateDaemonSet(object, errors, context);
  if (context.requestVersion === 'extensions/v1beta1') return;
  validateImmutableSelector(object.spec.selector, old.spec.selector, field('spec', 'selector'), errors);
}

function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath, errors: FieldErrors): void {
  switch (strategy.type) {
    case 'OnDelete':
      return;
    case 'RollingUpdate':
      if (strategy.rollingUpdate === undefined) errors.required(path.child('rollingUpdate'));
      else validateRollingUpdate(strategy.rollingUpdate, path.child('rollingUpdate'), errors);
      return;
    default:
      errors.notSupported(path, goStruct({ Type: strategy.type ?? '', RollingUpdate: null }), [
        'RollingUpdate',
        'OnDelete',
      ]);
  }
}

function validateRollingUpdate(rollingUpdate: RollingUpdateDaemonSet, path: FieldPath, errors: FieldErrors): void {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const unavailablePath = path.child('maxUnavailable');
  const surgePath = path.child('maxSurge');
  validatePositiveIntOrPercent(maxUnavailable, unavailablePath, errors);
  validatePositiveIntOrPercent(maxSurge, surgePath, errors);
  validateNotMoreThan100Percent(maxUnavailable, unavailablePath, errors);
  validateNotMoreThan100Percent(maxSurge, surgePath, errors);
  const hasUnavailable = countOf(maxUnavailable) !== 0;
  const hasSurge = countOf(maxSurge) !== 0;
  if (hasUnavailable && hasSurge)
    errors.invalid(surgePath, goIntOrString(maxSurge), 'may not be set when maxUnavailable is non-zero');
  else if (!hasUnavailable && !hasSurge) errors.required(unavailablePath, 'cannot be 0 when maxSurge is 0');
}

const STATUS_COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

export function validateDaemonSetStatusUpdate(object: DaemonSet, old: DaemonSet, errors: FieldErrors): void {
  const path = field('status');
  validateCounts(object.status, STATUS_COUNTS, path, errors);
  validateCollisionCount(object.status.collisionCount, old.status.collisionCount, path.child('collisionCount'), errors);
}
