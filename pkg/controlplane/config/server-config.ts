import type { Component, OptionValues } from '../../options/option.ts';
import type { StartNotice } from '../../options/start-notices.ts';
import type { StorageMediaType } from '../../registry/storage-codec.ts';
import type { ApiServerSettings } from '../../server/api-server.ts';
import type { CacheSettings } from '../../server/resource-stores.ts';
import type { ThreadThresholds } from '../../server/worker-pools.ts';
import type { FeatureState } from '../../telemetry/server-metrics.ts';
import type { EndpointReconcilerType } from '../../controllers/kubernetes-service/open-endpoint-reconciler.ts';

/** The settings of one control plane at its start: plain data, read and checked once by `readConfig`. */
export interface ServerConfig {
  readonly component: Component;
  /** What the parts below do not have yet. */
  readonly options: OptionValues;
  /** Directory for certificates, token and kubeconfig. */
  readonly dir: string;
  /** File of a key of this control plane's own that signs tokens of service accounts; undefined where one is given. */
  readonly ownServiceAccountKey: string | undefined;
  /** What the log says once about the options. */
  readonly notices: readonly StartNotice[];
  /** `--v`. */
  readonly verbosity: number;
  readonly address: AddressConfig;
  readonly server: ApiServerSettings;
  readonly storage: StorageConfig;
  readonly services: ServicesConfig;
  readonly endpoints: EndpointsConfig;
  readonly metrics: MetricsConfig;
  readonly threads: ThreadThresholds;
  /** Names of the server's controllers that run; for tests. Default: all. */
  readonly controllers?: readonly string[] | undefined;
  /** `--enable-apidoc-ui`. */
  readonly apiPage: boolean;
  /** `--tracing-otlp-endpoint`; empty: no traces. */
  readonly tracingEndpoint: string;
}

/** Where others reach the server. */
export interface AddressConfig {
  /** `--advertise-address`, or the one that takes its place. */
  readonly advertised: string;
  /** `--external-hostname`. */
  readonly externalHostname: string;
}

/** What is kept in the store, and of it in memory. */
export interface StorageConfig {
  /** Directory of the embedded store. */
  readonly dataDir: string;
  readonly cache: CacheSettings;
  readonly mediaType: StorageMediaType;
  readonly eventTtlSeconds: number;
  readonly collectsGarbage: boolean;
}

/** What services get. */
export interface ServicesConfig {
  /** `--service-cluster-ip-range`: one CIDR, or one of each family, the default one first. */
  readonly clusterIps: readonly string[];
  /** `--service-node-port-range`, both ends included. */
  readonly nodePorts: { readonly low: number; readonly high: number };
  /** `--cluster-service-node-port`. */
  readonly clusterServiceNodePort: number;
  /** How often allocations are repaired where something has changed; for tests. */
  readonly repairIntervalMs?: number | undefined;
}

/** How the `kubernetes` service gets its endpoints. */
export interface EndpointsConfig {
  readonly type: EndpointReconcilerType;
  /** `--apiserver-count`. */
  readonly serverCount: number;
}

export interface MetricsConfig {
  /** `--store-count-metric-poll-period`. */
  readonly storeCountPollMs: number;
  readonly features: readonly FeatureState[];
}
