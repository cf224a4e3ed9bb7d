import { replicaSets } from '../../api/apps/tokens.ts';
import { replicationControllers } from '../../api/core/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import {
  LabelSelector,
  labelRequirement,
  labelSelectorAsSelector,
} from '../../apimachinery/selectors/label-selector.ts';
import type { ReplicaSet } from '../../generated/types/apps-v1.ts';
import type { PodTemplateSpec, ReplicationController } from '../../generated/types/core-v1.ts';

/** What ReplicaSets and ReplicationControllers have in common. */
export interface ReplicaSpec {
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
}

export interface ReplicaCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

export interface ReplicaStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly ReplicaCondition[];
}

/** One of the two kinds, as the controller of both sees it. */
export interface ReplicaOwner<T extends ApiObject> {
  readonly resource: Resource<T>;
  /** Source of events. */
  readonly component: string;
  /** Whether the status counts pods that are being deleted (KEP-3973). */
  readonly countsTerminating: boolean;
  specOf(object: T): ReplicaSpec;
  statusOf(object: T): ReplicaStatus;
  withStatus(object: T, status: ReplicaStatus): T;
}

export const replicaSetOwner: ReplicaOwner<ReplicaSet> = {
  resource: replicaSets,
  component: 'replicaset-controller',
  countsTerminating: true,
  specOf: ({ spec }) => ({
    replicas: spec.replicas ?? 1,
    minReadySeconds: spec.minReadySeconds ?? 0,
    selector: labelSelectorAsSelector(spec.selector),
    template: spec.template ?? { metadata: {}, spec: { containers: [] } },
  }),
  statusOf: ({ status }) => status,
  withStatus: (object, status) => ({ ...object, status: status as ReplicaSet['status'] }),
};

export const replicationControllerOwner: ReplicaOwner<ReplicationController> = {
  resource: replicationControllers,
  component: 'replication-controller',
  countsTerminating: false,
  specOf: ({ spec }) => ({
    replicas: spec.replicas ?? 1,
    minReadySeconds: spec.minReadySeconds ?? 0,
    selector: new LabelSelector(
      Object.entries(spec.selector ?? {}).map(([key, value]) => labelRequirement(key, '=', [value])),
    ),
    template: spec.template ?? { metadata: {}, spec: { containers: [] } },
  }),
  statusOf: ({ status }) => status,
  withStatus: (object, status) => ({ ...object, status: status as ReplicationController['status'] }),
};
