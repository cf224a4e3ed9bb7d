import { controllerSelection } from '../../controller-names.ts';
import { longerThanZero, notNegative, positive } from '../../checks.ts';
import { managerGroup } from './manager-group.ts';

const workers = (name: string, count: string, what: string, ...aliases: string[]) =>
  ({ name, aliases, type: 'int', default: count, check: positive, help: `${what} reconciled at once` }) as const;

/** Which controllers run, and how much each does at once. */
export const controllersOptions = managerGroup('Controllers', [
  {
    name: 'controllers',
    type: 'stringSlice',
    default: '*',
    check: controllerSelection,
    help: 'Controllers that run: * for all that are on by default, NAME for one more, -NAME for one less. They are listed at the end',
  },
  {
    name: 'controller-start-interval',
    type: 'duration',
    default: '0s',
    help: 'Time between the starts of two controllers',
  },
  {
    name: 'min-resync-period',
    type: 'duration',
    default: '12h0m0s',
    check: longerThanZero,
    inert: 'a controller names the time at which it looks at an object again',
    help: 'Controllers look at every object again after a time between this and twice this',
  },
  workers('concurrent-deployment-syncs', '5', 'Deployments'),
  workers('concurrent-replicaset-syncs', '5', 'ReplicaSets'),
  workers('concurrent_rc_syncs', '5', 'ReplicationControllers', 'concurrent-rc-syncs'),
  workers('concurrent-statefulset-syncs', '5', 'StatefulSets'),
  workers('concurrent-daemonset-syncs', '2', 'DaemonSets'),
  workers('concurrent-job-syncs', '5', 'Jobs'),
  workers('concurrent-cron-job-syncs', '5', 'CronJobs'),
  workers('concurrent-ttl-after-finished-syncs', '5', 'Finished Jobs with a time to live'),
  workers('concurrent-endpoint-syncs', '5', 'Endpoints'),
  workers('concurrent-service-endpoint-syncs', '5', 'Services with EndpointSlices'),
  workers('mirroring-concurrent-service-endpoint-syncs', '5', 'Endpoints that are mirrored to EndpointSlices'),
  workers('concurrent-service-syncs', '1', 'Services with load balancers'),
  workers('concurrent-namespace-syncs', '10', 'Namespaces'),
  workers('concurrent-resource-quota-syncs', '5', 'ResourceQuotas'),
  workers('concurrent-serviceaccount-token-syncs', '5', 'Token secrets of service accounts'),
  workers('concurrent-gc-syncs', '20', 'Objects with owners'),
  workers('concurrent-ephemeralvolume-syncs', '5', 'Pods with ephemeral volumes'),
  workers('concurrent-horizontal-pod-autoscaler-syncs', '5', 'HorizontalPodAutoscalers'),
  workers('concurrent-resource-claim-syncs', '50', 'Pods with resource claims'),
  {
    ...workers('concurrent-validating-admission-policy-status-syncs', '5', 'ValidatingAdmissionPolicies'),
    inert: 'policies are not evaluated',
  },
  {
    name: 'deployment-controller-sync-period',
    type: 'duration',
    default: '30s',
    inert: 'deployments are reconciled when something changes',
    help: 'Period of the reconciliation of Deployments',
  },
  {
    name: 'namespace-sync-period',
    type: 'duration',
    default: '5m0s',
    help: 'Every namespace is looked at again after this time; 0: only when something changes',
  },
  {
    name: 'resource-quota-sync-period',
    type: 'duration',
    default: '5m0s',
    help: 'The use of every quota is counted again after this time; 0: only when something changes',
  },
  {
    name: 'enable-garbage-collector',
    type: 'bool',
    default: 'true',
    components: ['controller-manager'],
    help: 'Delete objects whose owners are gone; must be as on the API server',
  },
  {
    name: 'terminated-pod-gc-threshold',
    type: 'int',
    default: '12500',
    help: 'Pods that have ended and may stay; of more the oldest are deleted; 0 or less: all may stay',
  },
  {
    name: 'endpoint-updates-batch-period',
    type: 'duration',
    default: '0s',
    help: 'Changes of pods within this time become one update of Endpoints',
  },
  {
    name: 'endpointslice-updates-batch-period',
    type: 'duration',
    default: '0s',
    help: 'Changes of pods within this time become one update of EndpointSlices',
  },
  {
    name: 'mirroring-endpointslice-updates-batch-period',
    type: 'duration',
    default: '0s',
    help: 'Changes of Endpoints within this time become one update of mirrored EndpointSlices',
  },
  {
    name: 'max-endpoints-per-slice',
    type: 'int',
    default: '100',
    check: endpointsPerSlice,
    help: 'Endpoints in one EndpointSlice, from 1 to 1000',
  },
  {
    name: 'mirroring-max-endpoints-per-subset',
    type: 'int',
    default: '1000',
    check: endpointsPerSlice,
    help: 'Endpoints of one subset that are mirrored, from 1 to 1000',
  },
  {
    name: 'legacy-service-account-token-clean-up-period',
    type: 'duration',
    default: '8760h0m0s',
    check: longerThanZero,
    help: 'Token secrets that were not used for this time are marked, and deleted after it has passed again',
  },
]);

function endpointsPerSlice(value: string): string | undefined {
  return notNegative(value) ?? (Number(value) >= 1 && Number(value) <= 1000 ? undefined : 'must be from 1 to 1000');
}
