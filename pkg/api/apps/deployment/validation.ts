import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goIntOrString, goStruct } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from '../../../generated/types/apps-v1.ts';
import type { ClusterPolicy, StrategyContext } from '../../resource-definition.ts';
import { validateImmutableSelector } from '../../validation/immutable-selector.ts';
import {
  countOf,
  validateNotMoreThan100Percent,
  validatePositiveIntOrPercent,
} from '../../validation/int-or-percent.ts';
import { validateCollisionCount, validateCounts, validateWithinReplicas } from '../counts.ts';
import { validateReplicatedTemplate, validateRequiredSelector } from '../pod-template.ts';
import { rollbackRevision } from './conversion.ts';

export const validateDeploymentName = nameIsDns1123Subdomain;

/** Versions in which the selector of an existing deployment may still change. */
const SELECTOR_MAY_CHANGE = new Set(['extensions/v1beta1', 'apps/v1beta1']);

export function validateDeployment(object: Deployment, errors: FieldErrors, { policy }: StrategyContext): void {
  validateDeploymentSpec(object, policy, field('spec'), errors);
}

export function validateDeploymentUpdate(
  object: Deployment,
  old: Deployment,
  errors: FieldErrors,
  context: StrategyContext,
): void {
  validateDeploymentSpec(object, context.policy, field('spec'), errors);
  if (SELECTOR_MAY_CHANGE.has(context.requestVersion)) return;
  validateImmutableSelector(object.spec.selector, old.spec.selector, field('spec', 'selector'), errors);
}

function validateDeploymentSpec(object: Deployment, policy: ClusterPolicy, path: FieldPath, errors: FieldErrors): void {
  const { spec } = object;
  validateNonNegative(spec.replicas, path.child('replicas'), errors);
  validateRequiredSelector(spec.selector, 'empty selector is invalid for deployment', path.child('selector'), errors);
  validateReplicatedTemplate(spec, policy, path, errors);
  validateStrategy(spec.strategy, path.child('strategy'), errors);
  validateCounts(spec, ['minReadySeconds', 'revisionHistoryLimit'], path, errors);
  validateRollbackRevision(rollbackRevision(object), path.child('rollback'), errors);
  validateProgressDeadline(spec, path, errors);
}

export function validateRollbackRevision(
  revision: number | bigint | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateNonNegative(revision, path.child('version'), errors);
}

function validateProgressDeadline(spec: DeploymentSpec, path: FieldPath, errors: FieldErrors): void {
  const seconds = spec.progressDeadlineSeconds;
  if (seconds === undefined) return;
  const secondsPath = path.child('progressDeadlineSeconds');
  validateNonNegative(seconds, secondsPath, errors);
  if (seconds <= (spec.minReadySeconds ?? 0))
    errors.invalid(secondsPath, seconds, 'must be greater than minReadySeconds');
}

function validateStrategy(strategy: DeploymentStrategy, path: FieldPath, errors: FieldErrors): void {
  switch (strategy.type) {
    case 'Recreate':
      if (strategy.rollingUpdate !== undefined) {
        errors.forbidden(path.child('rollingUpdate'), "may not be specified when strategy `type` is 'Recreate'");
      }
      return;
    case 'RollingUpdate':
      if (strategy.rollingUpdate === undefined)
        errors.required(path.child('rollingUpdate'), 'this should be defaulted and never be nil');
      else validateRollingUpdate(strategy.rollingUpdate, path.child('rollingUpdate'), errors);
      return;
    default:
      errors.notSupported(path, goStruct({ Type: strategy.type ?? '', RollingUpdate: null }), [
        'Recreate',
        'RollingUpdate',
      ]);
  }
}

function validateRollingUpdate(rollingUpdate: RollingUpdateDeployment, path: FieldPath, errors: FieldErrors): void {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const unavailablePath = path.child('maxUnavailable');
  validatePositiveIntOrPercent(maxUnavailable, unavailablePath, errors);
  validatePositiveIntOrPercent(maxSurge, path.child('maxSurge'), errors);
  if (countOf(maxUnavailable) === 0 && countOf(maxSurge) === 0) {
    errors.invalid(unavailablePath, goIntOrString(maxUnavailable), 'may not be 0 when `maxSurge` is 0');
  }
  validateNotMoreThan100Percent(maxUnavailable, unavailablePath, errors);
}

const STATUS_COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'collisionCount',
];

export function validateDeploymentStatusUpdate(object: Deployment, old: Deployment, errors: FieldErrors): void {
  const path = field('status');
  validateDeploymentStatus(object.status, path, errors);
  validateCollisionCount(object.status.collisionCount, old.status.collisionCount, path.child('collisionCount'), errors);
}

function validateDeploymentStatus(status: DeploymentStatus, path: FieldPath, errors: FieldErrors): void {
  validateCounts(status, STATUS_COUNTS, path, errors);
  validateWithinReplicas(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], path, errors);
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0))
    errors.invalid(path.child('availableReplicas'), available, 'cannot be greater than readyReplicas');
}
