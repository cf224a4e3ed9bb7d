import type { ResourceRegistry } from '../api/resource-registry.ts';
import type { Auditor } from '../audit/auditor.ts';
import { clusterIpRange } from '../registry/allocators/number-range.ts';
import { ServerMetrics } from '../telemetry/server-metrics.ts';
import { startTracing } from '../telemetry/tracing.ts';
import { adminDirectory } from './admin-directory.ts';
import { adminTokenOf } from './admin-token.ts';
import { serverRegistry } from './config/api-config.ts';
import type { ServerConfig } from './config/server-config.ts';

import type { Environment } from './environment.ts';
import { encryptAtRest } from './encryption-at-rest.ts';
import { openAudit } from './open-audit.ts';
import type { OpenParts } from './open-parts.ts';
import { openServingTls, type OpenedTls } from './open-serving-tls.ts';
import { openStores, type OpenedStores } from './open-stores.ts';
import { ensureClientAuthority } from './own-client-authority.ts';
import { ownNames } from './server-address.ts';
import { ensureServiceAccountKey } from './service-account-key.ts';

/** What everything else of a control plane stands on. */
export interface Backends {
  /** Where the administrator's files are; undefined where none can be kept. */
  readonly adminDir: string | undefined;
  readonly adminToken: string;
  /** What is served. */
  readonly resources: ResourceRegistry;
  readonly metrics: ServerMetrics;
  readonly tls: OpenedTls;
  readonly stores: OpenedStores;
  /** Absent: requests are not written down. */
  readonly audit: Auditor | undefined;
}

/**
 * Second step of a start: makes what is missing (directory, keys, certificate, token), and opens stores, metrics,
 * traces and audit sinks. Throws `OptionsError` for what only opening can find, such as a log that cannot be written.
 */
export async function openBackends(
  config: ServerConfig,
  environment: Environment,
  parts: OpenParts,
): Promise<Backends> {
  const { dir } = config;
  const { logger, workerFile } = environment;
  const adminDir = adminDirectory(config, dir, logger);
  const { ownKeyFile } = config.authentication.serviceAccounts;
  if (ownKeyFile !== undefined) ensureServiceAccountKey(ownKeyFile);
  if (config.ownClientAuthority !== undefined) ensureClientAuthority(config.ownClientAuthority);
  for (const { message, option } of config.notices) logger.warn(message, { option });
  await openTracing(config, environment, parts);
  const resources = serverRegistry(config.api);
  const { emulatedMinor } = config.server;
  const metrics = new ServerMetrics({ registry: resources, emulatedMinor, ...config.metrics });
  parts.add(() => metrics.close());
  const [tls, stores] = await Promise.all([
    parts.addOpening(openServingTls(config.tls, namesOf(config), logger), (opened) => opened.tls.stop()),
    parts.addOpening(
      openStores(config.stores, {
        observer: metrics.storeObserver,
        warn: (message) => logger.warn(message),
        encrypt: (store) => encryptAtRest(store, config.encryption, resources, logger, metrics.dataKeyObserver),
      }),
      (opened) => opened.close(),
    ),
  ]);
  const adminToken = adminTokenOf(config.adminToken, adminDir);
  logger.redact(adminToken);
  const audit = openAudit(config.audit, { workerFile, observer: metrics.auditObserver, logger }, parts);
  return { adminDir, adminToken, resources, metrics, tls, stores, audit };
}

async function openTracing(
  { tracingEndpoint }: ServerConfig,
  { logger }: Environment,
  parts: OpenParts,
): Promise<void> {
  if (tracingEndpoint === '') return;
  const tracing = await startTracing({
    endpoint: tracingEndpoint,
    serviceName: 'binnacle-apiserver',
    onWarning: (message) => logger.warn(message),
  });
  parts.add(() => tracing.stop());
}

function namesOf({ address, server, services }: ServerConfig): readonly string[] {
  return ownNames([server.host, address.advertised, clusterIpRange(services.clusterIps[0]!).itemAt(0)]);
}
