import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { ControllerMetrics, MeasuredValue } from '../controller-metrics.ts';
import { maxUnavailable } from './pods-to-update.ts';

const LABELS = ['statefulset_namespace', 'statefulset_name', 'pod_management_policy'] as const;

/** Shows for each set how many of its pods may be unavailable in an update, and how many are. */
export function showAvailability(metrics: ControllerMetrics, sets: () => readonly StatefulSet[]): void {
  const each = (value: (set: StatefulSet) => number) => (): MeasuredValue<(typeof LABELS)[number]>[] =>
    sets().map((set) => ({
      labels: {
        statefulset_namespace: set.metadata.namespace!,
        statefulset_name: set.metadata.name!,
        pod_management_policy: set.spec.podManagementPolicy ?? 'OrderedReady',
      },
      value: value(set),
    }));
  const max = {
    name: 'statefulset_controller_statefulset_max_unavailable',
    help: 'Pods of a set that may be unavailable while it is updated.',
    labels: LABELS,
  };
  metrics.readGauge(max, each(maxUnavailable));
  const unavailable = {
    name: 'statefulset_controller_statefulset_unavailable_replicas',
    help: 'Pods of a set that are not available.',
    labels: LABELS,
  };
  metrics.readGauge(
    unavailable,
    each(({ spec, status }) => Math.max(0, (spec.replicas ?? 1) - (status.availableReplicas ?? 0))),
  );
}
