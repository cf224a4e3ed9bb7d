import { longerThanZero, notNegative } from '../../checks.ts';
import { managerGroup } from './manager-group.ts';

/** The HorizontalPodAutoscaler. */
export const autoscalingOptions = managerGroup('Autoscaling', [
  {
    name: 'horizontal-pod-autoscaler-sync-period',
    type: 'duration',
    default: '30s',
    check: longerThanZero,
    help: 'Time between two looks at the metrics of one HorizontalPodAutoscaler',
  },
  {
    name: 'horizontal-pod-autoscaler-downscale-delay',
    aliases: ['horizontal-pod-autoscaler-downscale-stabilization'],
    type: 'duration',
    default: '5m0s',
    help: 'After a change that wanted more replicas, fewer are set at the earliest after this time',
  },
  {
    name: 'horizontal-pod-autoscaler-upscale-delay',
    type: 'duration',
    default: '3m0s',
    inert: 'scaling up is bounded by the behavior of each autoscaler, as on release 1.36',
    help: 'Time between two changes that set more replicas, where no behavior is given',
  },
  {
    name: 'horizontal-pod-autoscaler-tolerance',
    type: 'float32',
    default: '0.1',
    check: notNegative,
    help: 'Share by which the metrics must differ from their target before replicas change',
  },
  {
    name: 'horizontal-pod-autoscaler-use-rest-clients',
    type: 'bool',
    default: 'true',
    inert: 'metrics are always read from these APIs',
    help: 'Metrics are read from the APIs metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io',
  },
  {
    name: 'horizontal-pod-autoscaler-cpu-initialization-period',
    type: 'duration',
    default: '5m0s',
    help: 'The CPU use of a pod counts from this time after its start, or when it is ready',
  },
  {
    name: 'horizontal-pod-autoscaler-initial-readiness-delay',
    type: 'duration',
    default: '30s',
    help: 'A pod that becomes ready within this time of its start counts as just started',
  },
]);
