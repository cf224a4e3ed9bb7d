import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import {
  type ContainerResourceMetricSource,
  type ExternalMetricSource,
  type MetricIdentifier,
  MetricSourceTypeValues,
  type MetricSpec,
  type MetricTarget,
  type ObjectMetricSource,
  type PodsMetricSource,
  type ResourceMetricSource,
} from '../../../generated/types/autoscaling-v2.ts';
import { reportProblems } from '../../validation/names.ts';
import { type AllowedApiVersion, validateReference } from './reference.ts';

/** The field of each type of source, in the order in which they are checked. */
const SOURCES = {
  Object: 'object',
  External: 'external',
  Pods: 'pods',
  Resource: 'resource',
  ContainerResource: 'containerResource',
} as const;
type Source = (typeof SOURCES)[keyof typeof SOURCES];

/** `allowed`: what the references of object metrics may name. */
export function validateMetrics(
  metrics: readonly MetricSpec[],
  minReplicas: number | undefined,
  allowed: AllowedApiVersion,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [i, metric] of metrics.entries()) validateMetric(metric, allowed, path.index(i), errors);
  // Without pods only external metrics can be measured.
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    errors.forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas');
  }
}

function validateMetric(metric: MetricSpec, allowed: AllowedApiVersion, path: FieldPath, errors: FieldErrors): void {
  const { type } = metric;
  const typePath = path.child('type');
  if (type === '') errors.required(typePath, 'must specify a metric source type');
  const known = Object.hasOwn(SOURCES, type);
  if (!known) errors.notSupported(typePath, type, MetricSourceTypeValues);
  const present = Object.values(SOURCES).filter((name) => metric[name] !== undefined);
  if (present[0] !== undefined) validateSource(metric, present[0], allowed, path.child(present[0]), errors);
  const expected = known ? SOURCES[type as keyof typeof SOURCES] : undefined;
  if (expected === undefined) errors.notSupported(typePath, type, MetricSourceTypeValues);
  else if (metric[expected] === undefined)
    errors.required(path.child(expected), 'must populate information for the given metric source');
  if (present.length === 1) return;
  for (const name of present)
    if (name !== expected) errors.forbidden(path.child(name), 'must populate the given metric source only');
}

function validateSource(
  metric: MetricSpec,
  name: Source,
  allowed: AllowedApiVersion,
  path: FieldPath,
  errors: FieldErrors,
): void {
  switch (name) {
    case 'object':
      return validateObjectSource(metric.object!, allowed, path, errors);
    case 'external':
      return validateExternalSource(metric.external!, path, errors);
    case 'pods':
      return validatePodsSource(metric.pods!, path, errors);
    case 'resource':
      return validateResourceSource(metric.resource!, path, errors);
    case 'containerResource':
      return validateContainerResourceSource(metric.containerResource!, path, errors);
  }
}

function validateObjectSource(
  source: ObjectMetricSource,
  allowed: AllowedApiVersion,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateReference(source.describedObject, allowed, path.child('describedObject'), errors);
  validateIdentifier(source.metric, path.child('metric'), errors);
  validateTarget(source.target, path.child('target'), errors);
  if (source.target.value === undefined && source.target.averageValue === undefined) {
    errors.required(path.child('target', 'averageValue'), 'must set either a target value or averageValue');
  }
}

function validateExternalSource({ metric, target }: ExternalMetricSource, path: FieldPath, errors: FieldErrors): void {
  validateIdentifier(metric, path.child('metric'), errors);
  validateTarget(target, path.child('target'), errors);
  if (target.value === undefined && target.averageValue === undefined) {
    errors.required(
      path.child('target', 'averageValue'),
      'must set either a target value for metric or a per-pod target',
    );
  }
  if (target.value !== undefined && target.averageValue !== undefined) {
    errors.forbidden(path.child('target', 'value'), 'may not set both a target value for metric and a per-pod target');
  }
}

function validatePodsSource({ metric, target }: PodsMetricSource, path: FieldPath, errors: FieldErrors): void {
  validateIdentifier(metric, path.child('metric'), errors);
  validateTarget(target, path.child('target'), errors);
  if (target.averageValue === undefined || parseQuantity(target.averageValue).sign() !== 1) {
    errors.required(path.child('target', 'averageValue'), 'must specify a positive target averageValue');
  }
}

function validateContainerResourceSource(
  source: ContainerResourceMetricSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (source.name === '') errors.required(path.child('name'), 'must specify a resource name');
  if (source.container === '') errors.required(path.child('container'), 'must specify a container');
  validateUtilizationTarget(source.target, path.child('target'), errors);
}

function validateResourceSource(source: ResourceMetricSource, path: FieldPath, errors: FieldErrors): void {
  if (source.name === '') errors.required(path.child('name'), 'must specify a resource name');
  validateUtilizationTarget(source.target, path.child('target'), errors);
}

function validateUtilizationTarget(target: MetricTarget, path: FieldPath, errors: FieldErrors): void {
  validateTarget(target, path, errors);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    errors.required(path.child('averageUtilization'), 'must set either a target raw value or a target utilization');
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    errors.forbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization');
  }
}

function validateTarget(target: MetricTarget, path: FieldPath, errors: FieldErrors): void {
  const { type, averageUtilization } = target;
  if (type === '') errors.required(path.child('type'), 'must specify a metric target type');
  if (type !== 'Utilization' && type !== 'Value' && type !== 'AverageValue') {
    errors.invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue');
  }
  for (const name of ['value', 'averageValue'] as const) {
    const text = target[name];
    if (text === undefined) continue;
    const amount = parseQuantity(text);
    if (amount.sign() !== 1) errors.invalid(path.child(name), amount.toGoText(), 'must be positive');
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.invalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0');
  }
}

function validateIdentifier({ name }: MetricIdentifier, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path.child('name'), 'must specify a metric name');
  else reportProblems(nameIsPathSegment(name, false), name, path.child('name'), errors);
}
