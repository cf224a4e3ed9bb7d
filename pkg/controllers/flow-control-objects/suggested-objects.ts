import { everythingBy } from '../../api/flowcontrol/mandatory-objects.ts';
import type {
  FlowSchemaSpec,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from '../../generated/types/flowcontrol-v1.ts';

/** Levels and schemas of a cluster whose owners have not chosen others: those of stock servers. */

function queues(
  nominalConcurrencyShares: number,
  lendablePercent: number,
  count: number,
  handSize: number,
): PriorityLevelConfigurationSpec {
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares,
      lendablePercent,
      limitResponse: { type: 'Queue', queuing: { queues: count, handSize, queueLengthLimit: 50 } },
    },
  };
}

export const SUGGESTED_PRIORITY_LEVELS: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  ['system', queues(30, 33, 64, 6)],
  ['node-high', queues(40, 25, 64, 6)],
  ['leader-election', queues(10, 0, 16, 4)],
  ['workload-high', queues(40, 50, 128, 6)],
  ['workload-low', queues(100, 90, 128, 6)],
  ['global-default', queues(20, 50, 128, 6)],
]);

const user = (name: string): Subject => ({ kind: 'User', user: { name } });
const group = (name: string): Subject => ({ kind: 'Group', group: { name } });
const kubeSystemAccounts: Subject = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const controllerManager = user('system:kube-controller-manager');
const scheduler = user('system:kube-scheduler');

function schema(
  matchingPrecedence: number,
  level: string,
  type: 'ByUser' | 'ByNamespace' | undefined,
  ...rules: NonNullable<FlowSchemaSpec['rules']>
): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(type === undefined ? {} : { distinguisherMethod: { type } }),
    rules,
  };
}

const leases = (verbs: string[]): ResourcePolicyRule => ({
  verbs,
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
});

export const SUGGESTED_FLOW_SCHEMAS: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    'probes',
    schema(2, 'exempt', undefined, {
      subjects: [group('system:unauthenticated'), group('system:authenticated')],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
    }),
  ],
  [
    'system-leader-election',
    schema(100, 'leader-election', 'ByUser', {
      subjects: [controllerManager, scheduler, kubeSystemAccounts],
      resourceRules: [leases(['get', 'create', 'update'])],
    }),
  ],
  [
    'system-node-high',
    schema(400, 'node-high', 'ByUser', {
      subjects: [group('system:nodes')],
      resourceRules: [
        { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
        leases(['*']),
      ],
    }),
  ],
  ['system-nodes', schema(500, 'system', 'ByUser', everythingBy(group('system:nodes')))],
  ['kube-controller-manager', schema(800, 'workload-high', 'ByNamespace', everythingBy(controllerManager))],
  ['kube-scheduler', schema(800, 'workload-high', 'ByNamespace', everythingBy(scheduler))],
  ['kube-system-service-accounts', schema(900, 'workload-high', 'ByNamespace', everythingBy(kubeSystemAccounts))],
  ['service-accounts', schema(9000, 'workload-low', 'ByUser', everythingBy(group('system:serviceaccounts')))],
  [
    'global-default',
    schema(
      9900,
      'global-default',
      'ByUser',
      everythingBy(group('system:unauthenticated'), group('system:authenticated')),
    ),
  ],
]);
