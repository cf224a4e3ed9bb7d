import type * as v1 from '../../../generated/types/autoscaling-v1.ts';
import type { MetricStatus, MetricValueStatus } from '../../../generated/types/autoscaling-v2.ts';
import { identifier, valueUnlessZero } from './metric-spec-conversion.ts';
import { present } from './present-fields.ts';

/** Measured values in the form of autoscaling/v1 and v2beta1 and in that of v2. */

export function toV1MetricStatus(metric: MetricStatus): v1.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = metric;
  return present<v1.MetricStatus>({
    type,
    object:
      object &&
      present({
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? '0',
        selector: object.metric.selector,
        averageValue: object.current.averageValue,
      }),
    pods:
      pods &&
      present({
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? '0',
        selector: pods.metric.selector,
      }),
    resource: resource && present({ name: resource.name, ...spreadCurrent(resource.current) }),
    containerResource:
      containerResource &&
      present({
        name: containerResource.name,
        ...spreadCurrent(containerResource.current),
        container: containerResource.container,
      }),
    external:
      external &&
      present({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? '0',
        currentAverageValue: external.current.averageValue,
      }),
  });
}

function spreadCurrent(current: MetricValueStatus): {
  currentAverageUtilization?: number;
  currentAverageValue: string;
} {
  return { currentAverageUtilization: current.averageUtilization, currentAverageValue: current.averageValue ?? '0' };
}

export function fromV1MetricStatus(metric: v1.MetricStatus): MetricStatus {
  const { type, object, pods, resource, containerResource, external } = metric;
  return present<MetricStatus>({
    type,
    object: object && {
      metric: identifier(object.metricName, object.selector),
      current: valueStatus(object.currentValue, object.averageValue),
      describedObject: object.target,
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: utilizationStatus(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: utilizationStatus(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      current: valueStatus(external.currentValue, external.currentAverageValue),
    },
  });
}

function valueStatus(value: string, averageValue: string | undefined): MetricValueStatus {
  return present({ value: averageValue === undefined ? value : valueUnlessZero(value), averageValue });
}

function utilizationStatus(source: {
  currentAverageUtilization?: number;
  currentAverageValue: string;
}): MetricValueStatus {
  return present({ averageValue: source.currentAverageValue, averageUtilization: source.currentAverageUtilization });
}
