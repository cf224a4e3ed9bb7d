import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../generated/types/autoscaling-v2.ts';
import type { TableDefinition } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';

export const autoscalerTable: TableDefinition<HorizontalPodAutoscaler> = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Name of the autoscaler, unique in its namespace.' },
    { name: 'Reference', type: 'string', description: 'The object that is scaled.' },
    { name: 'Targets', type: 'string', description: 'Measured and wanted value of each metric.' },
    { name: 'MinPods', type: 'string', description: 'Fewest pods that there may be.' },
    { name: 'MaxPods', type: 'string', description: 'Most pods that there may be.' },
    { name: 'Replicas', type: 'string', description: 'Pods that there are.' },
    { name: 'Age', type: 'string', description: 'Time since the autoscaler was created.' },
  ],
  row({ metadata, spec, status }, nowMs) {
    return {
      cells: [
        metadata.name ?? '',
        `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
        metricsText(spec.metrics ?? [], status.currentMetrics ?? []),
        spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
        spec.maxReplicas,
        status.currentReplicas ?? 0,
        age(metadata.creationTimestamp, nowMs),
      ],
    };
  },
};

const SHOWN_MAX = 2;
const UNKNOWN = '<unknown>';

function metricsText(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>';
  const shown = specs
    .slice(0, SHOWN_MAX)
    .map((spec, i) => metricText(spec, statuses[i]))
    .join(', ');
  return specs.length > SHOWN_MAX ? `${shown} + ${specs.length - SHOWN_MAX} more...` : shown;
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'External':
      return valueText(spec.external?.target, status?.external?.current);
    case 'Object':
      return valueText(spec.object?.target, status?.object?.current);
    case 'Pods':
      return `${status?.pods?.current.averageValue ?? UNKNOWN}/${spec.pods?.target.averageValue ?? '<nil>'}`;
    case 'Resource':
      return `${spec.resource?.name}: ${utilizationText(spec.resource?.target, status?.resource?.current)}`;
    case 'ContainerResource':
      return `${spec.containerResource?.name}: ${utilizationText(spec.containerResource?.target, status?.containerResource?.current)}`;
    default:
      return '<unknown type>';
  }
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
  return `${current?.value ?? UNKNOWN}/${target?.value ?? '<nil>'}`;
}

function utilizationText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue}`;
  const measured = current?.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`;
  return `${measured}/${target?.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`}`;
}
