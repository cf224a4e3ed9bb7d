import type * as v1 from '../../../generated/types/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler } from '../../../generated/types/autoscaling-v2.ts';
import type * as v2beta1 from '../../../generated/types/autoscaling-v2beta1.ts';
import { readBehavior, writeBehavior } from './behavior-annotation.ts';
import { defaultMetric } from './defaults.ts';
import { cpuUtilization, fromV1Metric, toV1Metric } from './metric-spec-conversion.ts';
import { fromV1MetricStatus, toV1MetricStatus } from './metric-status-conversion.ts';
import {
  CURRENT_METRICS_ANNOTATION,
  dropRoundtripAnnotations,
  METRICS_ANNOTATION,
  readMessages,
  writeMessages,
} from './roundtrip-annotations.ts';

/**
 * autoscaling/v2beta1 lists metrics in the form of autoscaling/v1, without container resources, selectors of pod and
 * object metrics, and averages of object metrics. Metrics that need one of these are in an annotation, after the others
 * and before a last one for CPU; the behavior is in another.
 */

export function v2beta1ToHub(object: v2beta1.HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { metadata } = object;
  const { metrics: listed = [], ...scaling } = object.spec;
  const { currentMetrics, conditions, ...counts } = object.status;
  const kept = readMessages<v1.MetricSpec>(metadata, METRICS_ANNOTATION, 'autoscaling/v1.MetricSpec');
  const metrics = [...listed, ...kept].map(fromV1Metric);
  const last = listed.length - 1;
  // The utilization of CPU stays last, as through autoscaling/v1.
  if (kept.length > 0 && last >= 0 && cpuUtilization(metrics[last]!) !== undefined)
    metrics.push(...metrics.splice(last, 1));
  const measured = readMessages<v1.MetricStatus>(metadata, CURRENT_METRICS_ANNOTATION, 'autoscaling/v1.MetricStatus');
  const behavior = readBehavior(metadata);
  const current = (measured.length > 0 ? measured : (currentMetrics ?? [])).map(fromV1MetricStatus);
  const hub: HorizontalPodAutoscaler = {
    metadata,
    spec: {
      ...scaling,
      metrics: metrics.length > 0 ? metrics : [defaultMetric()],
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: {
      ...counts,
      currentMetrics: current.length > 0 ? current : null,
      ...((conditions ?? []).length > 0 ? { conditions: conditions! } : {}),
    },
  };
  if (hub.status.currentReplicas === 0) delete hub.status.currentReplicas;
  dropRoundtripAnnotations(metadata);
  return hub;
}

export function v2beta1FromHub(object: HorizontalPodAutoscaler): v2beta1.HorizontalPodAutoscaler {
  const { metadata } = object;
  const { metrics = [], behavior, ...scaling } = object.spec;
  const { currentMetrics, conditions, ...counts } = object.status;
  const all = metrics.map(toV1Metric);
  const listed = all.filter(isListed);
  writeMessages(
    metadata,
    METRICS_ANNOTATION,
    all.filter((metric) => !isListed(metric)),
    'autoscaling/v1.MetricSpec',
  );
  writeBehavior(metadata, behavior);
  const measured = (currentMetrics ?? []).map(toV1MetricStatus);
  // Order matters here: measured values are in the order of the metrics.
  if (!measured.every(isListed))
    writeMessages(metadata, CURRENT_METRICS_ANNOTATION, measured, 'autoscaling/v1.MetricStatus');
  const shown = measured.filter(isListed);
  return {
    metadata,
    spec: { ...scaling, ...(listed.length > 0 ? { metrics: listed } : {}) },
    status: {
      ...counts,
      currentReplicas: counts.currentReplicas ?? 0,
      currentMetrics: shown.length > 0 ? shown : null,
      conditions: conditions ?? null,
    },
  };
}

/** Whether the version has all the fields that the metric uses. */
function isListed({ object, pods, containerResource }: v1.MetricSpec | v1.MetricStatus): boolean {
  return (
    containerResource === undefined &&
    pods?.selector === undefined &&
    object?.selector === undefined &&
    object?.averageValue === undefined
  );
}
