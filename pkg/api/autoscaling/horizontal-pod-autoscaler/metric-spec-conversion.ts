import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type * as v1 from '../../../generated/types/autoscaling-v1.ts';
import type { MetricIdentifier, MetricSpec, MetricTarget } from '../../../generated/types/autoscaling-v2.ts';
import { present } from './present-fields.ts';

/**
 * Metrics in the form of autoscaling/v1 and v2beta1, which spread the target over the source's fields, and in that of
 * v2. Of a target only the values that its kind of source can have are kept, and its type follows from them.
 */

export function toV1Metric(metric: MetricSpec): v1.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return present<v1.MetricSpec>({
    type,
    object:
      object &&
      present({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    pods:
      pods &&
      present({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? '0',
        selector: pods.metric.selector,
      }),
    resource: resource && present({ name: resource.name, ...spreadTarget(resource.target) }),
    containerResource:
      containerResource &&
      present({
        name: containerResource.name,
        ...spreadTarget(containerResource.target),
        container: containerResource.container,
      }),
    external:
      external &&
      present({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  });
}

function spreadTarget(target: MetricTarget): { targetAverageUtilization?: number; targetAverageValue?: string } {
  return { targetAverageUtilization: target.averageUtilization, targetAverageValue: target.averageValue };
}

export function fromV1Metric(metric: v1.MetricSpec): MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return present<MetricSpec>({
    type,
    object: object && {
      describedObject: object.target,
      target: valueTarget(
        object.averageValue === undefined ? object.targetValue : valueUnlessZero(object.targetValue),
        object.averageValue,
      ),
      metric: identifier(object.metricName, object.selector),
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      target: { type: 'AverageValue', averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: utilizationTarget(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: utilizationTarget(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      target: present({
        ...valueTarget(external.targetValue, external.targetAverageValue),
        type: external.targetValue === undefined ? 'AverageValue' : 'Value',
      }),
    },
  });
}

/** The older forms always have a value; zero beside an average means none. */
export function valueUnlessZero(value: string): string | undefined {
  return parseQuantity(value).isZero() ? undefined : value;
}

export function identifier(name: string, selector: MetricIdentifier['selector']): MetricIdentifier {
  return present({ name, selector });
}

function valueTarget(value: string | undefined, averageValue: string | undefined): MetricTarget {
  return present({ type: averageValue === undefined ? 'Value' : 'AverageValue', value, averageValue });
}

function utilizationTarget(source: { targetAverageUtilization?: number; targetAverageValue?: string }): MetricTarget {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = source;
  return present({
    type: averageUtilization === undefined ? 'AverageValue' : 'Utilization',
    averageValue,
    averageUtilization,
  });
}

/** The metric that autoscaling/v1 has a field for. */
export function cpuUtilization(metric: MetricSpec): number | undefined {
  return metric.type === 'Resource' && metric.resource?.name === 'cpu'
    ? metric.resource.target.averageUtilization
    : undefined;
}
