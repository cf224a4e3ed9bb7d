import type { AdmissionConfig } from '../../admission/admission-config.ts';
import type { AuditConfig } from '../../audit/audit-config.ts';
import type { AuthenticationConfig } from '../../authentication/authentication-config.ts';
import type { AuthorizationConfig } from '../../authorization/authorization-config.ts';
import type { Component } from '../../options/option.ts';
import type { StartNotice } from '../../options/start-notices.ts';
import type { StorageMediaType } from '../../registry/storage-codec.ts';
import type { ApiServerSettings } from '../../server/api-server.ts';
import type { NodeAgentConfig } from '../../server/connections/node-agent-settings.ts';
import type { CacheSettings } from '../../server/resource-stores.ts';
import type { ThreadThresholds } from '../../server/worker-pools.ts';
import type { FeatureState } from '../../telemetry/metrics/program-families.ts';
import type { EncryptionConfig } from '../encryption-at-rest.ts';
import type { ApiConfig } from './api-config.ts';
import type { StoresConfig } from './stores-config.ts';
import type { TlsConfig } from './tls-config.ts';
import type { EndpointReconcilerType } from '../../controllers/kubernetes-service/open-endpoint-reconciler.ts';
import type { ProgramsConfig } from './programs-config.ts';

/** The settings of one control plane at its start: plain data, read and checked once by `readConfig`. */
export interface ServerConfig {
  readonly component: Component;
  /** Directory for token and kubeconfig. */
  readonly dir: string;
  /** What the log says once about the options. */
  readonly notices: readonly StartNotice[];
  /** `--v`. */
  readonly verbosity: number;
  /** Of `--token-file`; undefined: one that the start makes and keeps. */
  readonly adminToken: string | undefined;
  readonly address: AddressConfig;
  readonly tls: TlsConfig;
  readonly server: ApiServerSettings;
  readonly api: ApiConfig;
  readonly stores: StoresConfig;
  /** Undefined: values are stored as they are. */
  readonly encryption: EncryptionConfig | undefined;
  readonly storage: StorageConfig;
  readonly services: ServicesConfig;
  readonly endpoints: EndpointsConfig;
  readonly authentication: AuthenticationConfig;
  readonly authorization: AuthorizationConfig;
  readonly admission: AdmissionConfig;
  /** Undefined: requests are not written down. */
  readonly audit: AuditConfig | undefined;
  readonly nodeAgents: NodeAgentConfig;
  readonly metrics: MetricsConfig;
  readonly threads: ThreadThresholds;
  /** Names of the server's controllers that run; for tests. Default: all. */
  readonly controllers?: readonly string[] | undefined;
  /** What runs beside the server, so that the cluster moves; undefined: nothing. */
  readonly programs?: ProgramsConfig | undefined;
  /** File of the authority for certificates of clients, which the start makes with its key; absent: there is none. */
  readonly ownClientAuthority?: string | undefined;
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

/** In which form objects are stored, and what is kept of them in memory. */
export interface StorageConfig {
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
