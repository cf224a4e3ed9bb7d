import type { AuthorityPair } from '../api/certificates/issuer.ts';
import type { RecyclersConfig } from './persistent-volume-binder/recycler-pod.ts';

/** What the options of the manager say to single controllers; durations in milliseconds. */
export interface ControllersConfig {
  /** Keys that are worked on at once, by controller. */
  readonly workers: {
    readonly deployment: number;
    readonly replicaSet: number;
    readonly replicationController: number;
    readonly statefulSet: number;
    readonly daemonSet: number;
    readonly job: number;
    readonly cronJob: number;
    readonly ttlAfterFinished: number;
    readonly endpoint: number;
    readonly endpointSlice: number;
    readonly endpointSliceMirroring: number;
    readonly service: number;
    readonly namespace: number;
    readonly serviceAccountToken: number;
    readonly garbageCollector: number;
    readonly ephemeralVolume: number;
    readonly horizontalPodAutoscaler: number;
    readonly resourceClaim: number;
    readonly resourceQuota: number;
  };
  /** Of `resyncMs`, 0: never. */
  readonly namespace: { readonly resyncMs: number };
  readonly resourceQuota: { readonly resyncMs: number };
  readonly garbageCollector: { readonly enabled: boolean };
  readonly podGc: { readonly terminatedPodsMax: number };
  readonly endpoint: { readonly batchMs: number };
  readonly endpointSlice: { readonly batchMs: number; readonly endpointsMax: number };
  readonly endpointSliceMirroring: { readonly batchMs: number; readonly endpointsMax: number };
  readonly accounts: {
    /** PEM; empty: none. */
    readonly rootCa: string;
    /** PEM; empty: no tokens are made. */
    readonly privateKey: string;
    readonly tokenCleanUpMs: number;
  };
  readonly signing: {
    readonly durationMs: number;
    /** By signer, such as `kubernetes.io/kubelet-serving`; signers that are not here sign nothing. */
    readonly authorities: ReadonlyMap<string, AuthoritySource>;
  };
  readonly nodeLifecycle: {
    readonly monitorPeriodMs: number;
    readonly monitorGraceMs: number;
    readonly startupGraceMs: number;
    /** Nodes a second. */
    readonly evictionRate: number;
    readonly secondaryEvictionRate: number;
    readonly largeClusterSize: number;
    readonly unhealthyZoneThreshold: number;
    readonly taintManager: boolean;
  };
  readonly nodeIpam: {
    readonly allocate: boolean;
    /** One, or one of each family. */
    readonly clusterCidrs: readonly string[];
    /** Ranges of cluster IPs, which no node gets. */
    readonly serviceCidrs: readonly string[];
    readonly maskSizeIpv4: number;
    readonly maskSizeIpv6: number;
  };
  readonly route: { readonly configure: boolean; readonly periodMs: number };
  readonly clusterName: string;
  readonly volumes: {
    readonly binderPeriodMs: number;
    readonly forceDetachOnTimeout: boolean;
    readonly dynamicProvisioning: boolean;
    readonly hostPathProvisioner: boolean;
    readonly recyclers: RecyclersConfig;
  };
  readonly autoscaling: {
    readonly periodMs: number;
    readonly downscaleDelayMs: number;
    /** Share of 1. */
    readonly tolerance: number;
    readonly cpuInitializationMs: number;
    readonly initialReadinessMs: number;
  };
}

/** Reads an authority as it is now: its files may be replaced at any time. Throws where one cannot be read. */
export type AuthoritySource = () => AuthorityPair;
