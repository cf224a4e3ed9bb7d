import type { ServerAddress } from '../net/server-address.ts';
import { ensureLocalApiServices } from './api-services/local-api-services.ts';
import { SERVER_LEASE_SECONDS, startClusterUpkeep } from './bootstrap.ts';
import type { ServerConfig } from './config/server-config.ts';
import { openEndpointReconciler } from './endpoints/open-endpoint-reconciler.ts';
import { errorReport, type Environment } from './environment.ts';
import type { OpenParts } from './open-parts.ts';
import type { Registry } from './open-registry.ts';
import type { OpenedServer } from './open-server.ts';

export interface ClusterParts {
  readonly environment: Environment;
  readonly registry: Registry;
  readonly opened: OpenedServer;
  readonly address: ServerAddress;
}

/**
 * What a cluster has before its first request is answered, made where it is missing and kept from then on. The server
 * listens, and answers health checks alone.
 */
export async function startCluster(config: ServerConfig, cluster: ClusterParts, parts: OpenParts): Promise<void> {
  const { environment, registry, opened, address } = cluster;
  const { access, allocators } = registry;
  const { server, steps } = opened;
  const { logger } = environment;
  const onError = errorReport(environment);
  const upkeep = await startClusterUpkeep({
    stores: access,
    allocators,
    endpoints: openEndpointReconciler(access, { ...config.endpoints, leaseSeconds: SERVER_LEASE_SECONDS }),
    advertiseAddress: address.advertised,
    securePort: address.port,
    serviceNodePort: config.services.clusterServiceNodePort,
    repairIntervalMs: config.services.repairIntervalMs,
    onError,
    onWarning: (message, where) => logger.warn(message, { where }),
    onFinished: (step) => steps.finish(step),
  });
  parts.add(() => upkeep.stop());
  await ensureLocalApiServices(access('apiservices.apiregistration.k8s.io'), server.groupVersions);
  // Those of this server are available from when they are made.
  steps.finish(
    'poststarthook/apiservice-status-local-available-controller',
    'poststarthook/apiservice-registration-controller',
    'poststarthook/kube-apiserver-autoregistration',
    'autoregister-completion',
  );
}
