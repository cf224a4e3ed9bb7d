import type * as v1 from '../../../generated/types/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '../../../generated/types/autoscaling-v2.ts';
import { readBehavior, writeBehavior } from './behavior-annotation.ts';
import { defaultMetric } from './defaults.ts';
import { cpuUtilization, fromV1Metric, toV1Metric } from './metric-spec-conversion.ts';
import { fromV1MetricStatus, toV1MetricStatus } from './metric-status-conversion.ts';
import {
  CONDITIONS_ANNOTATION,
  CURRENT_METRICS_ANNOTATION,
  dropRoundtripAnnotations,
  METRICS_ANNOTATION,
  readMessages,
  writeMessages,
} from './roundtrip-annotations.ts';

/**
 * autoscaling/v1 has a field for the utilization of CPU only; annotations hold the other metrics, the behavior and the
 * conditions.
 */

export function v1ToHub(object: v1.HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { metadata, spec, status } = object;
  const { targetCPUUtilizationPercentage: cpu, ...scaling } = spec;
  const metrics = readMessages<v1.MetricSpec>(metadata, METRICS_ANNOTATION, 'autoscaling/v1.MetricSpec').map(
    fromV1Metric,
  );
  if (cpu !== undefined) metrics.push(cpuMetric(cpu));
  const behavior = readBehavior(metadata);
  const hub: HorizontalPodAutoscaler = {
    metadata,
    spec: {
      ...scaling,
      metrics: metrics.length > 0 ? metrics : [defaultMetric()],
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: statusToHub(object),
  };
  if (status.currentReplicas === 0) delete hub.status.currentReplicas;
  dropRoundtripAnnotations(metadata);
  return hub;
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function statusToHub({ metadata, status }: v1.HorizontalPodAutoscaler): HorizontalPodAutoscaler['status'] {
  const { currentCPUUtilizationPercentage: cpu, ...counts } = status;
  // The annotation has more than the field, which it also covers.
  const measured = readMessages<v1.MetricStatus>(
    metadata,
    CURRENT_METRICS_ANNOTATION,
    'autoscaling/v1.MetricStatus',
  ).map(fromV1MetricStatus);
  if (measured.length === 0 && cpu !== undefined)
    measured.push({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: cpu } } });
  const conditions = readMessages<v1.HorizontalPodAutoscalerCondition>(
    metadata,
    CONDITIONS_ANNOTATION,
    'autoscaling/v1.HorizontalPodAutoscalerCondition',
  );
  return {
    ...counts,
    currentMetrics: measured.length > 0 ? measured : null,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

export function v1FromHub(object: HorizontalPodAutoscaler): v1.HorizontalPodAutoscaler {
  const { metadata } = object;
  const { metrics = [], behavior, ...scaling } = object.spec;
  const { currentMetrics, conditions = [], ...counts } = object.status;
  const cpuIndex = metrics.findIndex((metric) => cpuUtilization(metric) !== undefined);
  const others = metrics.filter((_, i) => i !== cpuIndex).map(toV1Metric);
  writeMessages(metadata, METRICS_ANNOTATION, others, 'autoscaling/v1.MetricSpec');
  writeBehavior(metadata, behavior);
  writeMessages(
    metadata,
    CURRENT_METRICS_ANNOTATION,
    (currentMetrics ?? []).map(toV1MetricStatus),
    'autoscaling/v1.MetricStatus',
  );
  writeMessages(metadata, CONDITIONS_ANNOTATION, conditions, 'autoscaling/v1.HorizontalPodAutoscalerCondition');
  const converted: v1.HorizontalPodAutoscaler = {
    metadata,
    spec: { ...scaling },
    status: { ...counts, currentReplicas: counts.currentReplicas ?? 0 },
  };
  if (cpuIndex >= 0) converted.spec.targetCPUUtilizationPercentage = cpuUtilization(metrics[cpuIndex]!);
  const measuredCpu = measuredCpuUtilization(currentMetrics ?? []);
  if (measuredCpu !== undefined) converted.status.currentCPUUtilizationPercentage = measuredCpu;
  return converted;
}

function measuredCpuUtilization(metrics: readonly MetricStatus[]): number | undefined {
  return metrics.findLast(
    ({ type, resource }) =>
      type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined,
  )?.resource?.current.averageUtilization;
}
