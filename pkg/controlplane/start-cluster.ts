import { hostname } from 'node:os';
import { apiServices } from '../api/apiregistration/tokens.ts';
import { endpoints as endpointsToken } from '../api/core/tokens.ts';
import { formatIp, parseIp } from '../apimachinery/names/ip.ts';
import { openEndpointReconciler } from '../controllers/kubernetes-service/open-endpoint-reconciler.ts';
import type { ServerAddress } from '../net/server-address.ts';
import { ensureLocalApiServices } from './api-services/local-api-services.ts';
import { authenticationTrust } from './authentication-trust.ts';
import { bootstrapCluster, serviceRanges } from './bootstrap.ts';
import type { ServerConfig } from './config/server-config.ts';
import { errorReport, type Environment } from './environment.ts';
import { MasterLeases } from './master-leases.ts';
import type { Registry } from './open-registry.ts';
import type { OpenedServer } from './open-server.ts';
import type { UpkeepOptions } from './server-controllers.ts';

/** Together with the time between two rounds, the longest that a dead server stays in the endpoints. */
const SERVER_LEASE_SECONDS = 10;

export interface ClusterParts {
  readonly environment: Environment;
  readonly registry: Registry;
  readonly opened: OpenedServer;
  readonly address: ServerAddress;
}

/**
 * What a cluster has before its first request is answered, made where it is missing. The server listens, and answers
 * health checks alone. Returns what the server keeps up when it serves.
 */
export async function startCluster(config: ServerConfig, cluster: ClusterParts): Promise<UpkeepOptions> {
  const { environment, registry, opened, address } = cluster;
  const { access, allocators } = registry;
  const { server, steps } = opened;
  const { logger } = environment;
  const service = {
    clusterIp: [...allocators.clusterIps.values()][0]!.bitmap.range.itemAt(0),
    securePort: address.port,
    nodePort: config.services.clusterServiceNodePort,
  };
  const { start, repair } = await bootstrapCluster({
    stores: access,
    allocators,
    service,
    onError: errorReport(environment),
    onWarning: (message, where) => logger.warn(message, { where }),
    onFinished: (step) => steps.finish(step),
  });
  await ensureLocalApiServices(access(apiServices), server.groupVersions);
  // Those of this server are available from when they are made.
  steps.finish(
    'poststarthook/apiservice-status-local-available-controller',
    'poststarthook/apiservice-registration-controller',
    'poststarthook/kube-apiserver-autoregistration',
    'autoregister-completion',
  );
  return {
    start,
    repair,
    repairIntervalMs: config.services.repairIntervalMs,
    serviceCidrs: serviceRanges(allocators),
    hostname: hostname(),
    trust: () => authenticationTrust(config.authentication),
    kubernetesService: {
      service,
      endpoints: openEndpointReconciler(
        config.endpoints,
        new MasterLeases(access(endpointsToken), SERVER_LEASE_SECONDS),
      ),
      own: isLoopbackIp(address.advertised) ? undefined : { ip: address.advertised, port: address.port },
    },
  };
}

/** True for 127.0.0.0/8 and ::1, also where they are written otherwise. */
function isLoopbackIp(text: string): boolean {
  const bytes = parseIp(text);
  if (bytes === undefined) return false;
  return bytes.length === 4 ? bytes[0] === 127 : formatIp(bytes) === '::1';
}
