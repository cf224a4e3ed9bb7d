import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { apiServerOptions } from '../options/api-server-options.ts';
import type { OptionValues } from '../options/option.ts';
import { startNotices } from '../options/start-notices.ts';
import { clusterIpRange } from '../registry/allocators/number-range.ts';
import { openServiceAllocators, type ServiceAllocators } from '../registry/allocators/service-allocators.ts';
import { serviceHooks } from '../registry/allocators/service-hooks.ts';
import { storeAccess, type StoreAccess } from '../registry/store-access.ts';
import { ApiServer } from '../server/api-server.ts';
import { Connections } from '../server/connections/connections.ts';
import type { Network } from '../server/connections/network.ts';
import { nodeAgentSettings } from '../server/connections/node-agent-settings.ts';
import { specialHandlers } from '../server/subresources/special-handlers.ts';
import type { Timeouts } from '../server/listener/listener-limits.ts';
import type { KmsProvider } from '../storage/encryption/kms/kms-provider.ts';
import type { Store } from '../storage/store.ts';
import type { Logger } from '../logging/logger.ts';
import { ServerMetrics } from '../telemetry/server-metrics.ts';
import { startTracing, type Tracing } from '../telemetry/tracing.ts';
import { ThreadPools } from '../workers/thread-pools.ts';
import { adminDirectory } from './admin-directory.ts';
import { adminTokenOf } from './admin-token.ts';
import { ensureLocalApiServices } from './api-services/local-api-services.ts';
import { SERVER_LEASE_SECONDS, startControlPlane } from './bootstrap.ts';
import { encryptAtRest } from './encryption-at-rest.ts';
import { openEndpointReconciler, type EndpointReconcilerType } from './endpoints/open-endpoint-reconciler.ts';
import { keepAuthenticationPublished } from './extension-authentication.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { keepIdentityLease } from './identity-lease.ts';
import { keepLegacyTokenTracking } from './legacy-token-tracking.ts';
import { openAudit } from './open-audit.ts';
import { openAccessControl } from './open-access-control.ts';
import { OpenParts } from './open-parts.ts';
import { openServingTls } from './open-serving-tls.ts';
import { openStores } from './open-stores.ts';
import { advertisedAddress, externalAddress, localUrl, ownNames } from './server-address.ts';
import { startServerControllers } from './server-controllers.ts';
import { emulatedMinor, featureStates, serverRegistry, serverSettings, threadThresholds } from './server-settings.ts';
import { withServiceAccountKey } from './service-account-key.ts';
import { StartSteps } from './start-steps.ts';

const LOG_DIR = '/var/log';
/** How long a scrape waits for the servers of a store. */
const STORE_SIZE_MS = 1000;

/** A started API server with what a person needs to reach it. */
export interface RunningApiServer {
  readonly server: ApiServer;
  readonly url: string;
  readonly token: string;
  /** Path; empty where none can be kept. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export interface RunSettings {
  readonly options: OptionValues;
  /** Directory for certificates, token and kubeconfig. */
  readonly dir: string;
  /** Directory of the embedded store. Default: `dir`. */
  readonly dataDir?: string;
  /** Module that worker threads run. */
  readonly workerFile: string;
  readonly logger: Logger;
  /** Also called with unexpected errors; for tests. */
  readonly onError?: (error: unknown, where: string) => void;
  /** How long clients may take; for tests. Default: `defaultTimeouts`. */
  readonly timeouts?: Timeouts | undefined;
  /** How nodes and pods are reached; for tests. Default: the network of this machine. */
  readonly network?: Network | undefined;
  /**
   * How often allocations are repaired where something has changed; for tests. Default: `defaultControlPlaneIntervals`.
   */
  readonly repairIntervalMs?: number | undefined;
  /** Names of the server's controllers that run; for tests. Default: all. */
  readonly controllers?: readonly string[] | undefined;
  /** Directory of the files under `/logs/`; for tests. Default: `/var/log`. */
  readonly logDir?: string | undefined;
}

/**
 * Opens the stores, makes what is missing (certificate, token), starts the server and writes the kubeconfig, where it
 * may. Throws `OptionsError` for what is wrong with files that options name; closes everything when it fails.
 */
export async function runApiServer(settings: RunSettings): Promise<RunningApiServer> {
  const parts = new OpenParts();
  try {
    return await openApiServer(settings, parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function openApiServer(settings: RunSettings, parts: OpenParts): Promise<RunningApiServer> {
  const { dir, logger } = settings;
  const kept = adminDirectory(settings.options, dir, logger);
  const options = withServiceAccountKey(settings.options, dir);
  for (const { message, option } of startNotices(apiServerOptions, options)) logger.warn(message, { option });
  const host = options.string('bind-address');
  const advertise = advertisedAddress(options.string('advertise-address'), host);
  const tracing = await traceWhenAsked(options, logger);
  parts.add(() => tracing?.stop());
  const registry = serverRegistry(options);
  const metrics = new ServerMetrics({
    registry,
    storeCountPollMs: options.durationMs('store-count-metric-poll-period'),
    emulatedMinor: emulatedMinor(options),
    features: featureStates(options),
  });
  parts.add(() => metrics.close());
  const kms: KmsProvider[] = [];
  const around = async (plain: Store): Promise<Store> => {
    const encryption = await encryptAtRest(plain, options, registry, logger, metrics.dataKeyObserver);
    kms.push(...encryption.kms);
    return encryption.store;
  };
  const [{ tls, caFile }, stores] = await Promise.all([
    parts.addOpening(
      openServingTls(
        options,
        options.string('cert-dir') || path.join(dir, 'pki'),
        ownNames([host, advertise, clusterIpRange(serviceRanges(options)[0]!).itemAt(0)]),
        logger,
      ),
      (opened) => opened.tls.stop(),
    ),
    parts.addOpening(
      openStores(options, {
        dir: settings.dataDir ?? dir,
        observer: metrics.storeObserver,
        warn: (message) => logger.warn(message),
        around,
      }),
      (opened) => opened.close(),
    ),
  ]);
  const token = adminTokenOf(options, kept);
  logger.redact(token);
  const access = storeAccess((name) => server.storeOf(name));
  const allocators = serviceAllocators(options, stores.main, access);
  const onError = (error: unknown, where: string): void => {
    logger.error('unexpected error', { where, error });
    settings.onError?.(error, where);
  };
  const onWarning = (message: string, where: string): void => logger.warn(message, { where });
  const agents = nodeAgentSettings(options, (message) => onWarning(message, 'node agents'));
  const audit = openAudit({ options, workerFile: settings.workerFile, observer: metrics.auditObserver, logger }, parts);
  let port = options.int('secure-port');
  const server = new ApiServer({
    ...serverSettings(options),
    registry,
    store: stores.main,
    overrides: stores.overrides,
    host,
    port,
    tls,
    metrics,
    flowObserver: metrics.flowObserver,
    logger,
    audit,
    onError,
    accessControl: (access, applyJsonPatch) =>
      openAccessControl(
        {
          options,
          adminToken: token,
          servingKey: tls.pair.key,
          address: () => externalAddress(options.string('external-hostname'), advertise, port),
          authenticationObserver: metrics.authenticationObserver,
          authorizationObserver: metrics.authorizationObserver,
          admissionObserver: metrics.admissionObserver,
          applyJsonPatch,
          onError,
        },
        access,
      ),
    hooks: () =>
      new Map([
        [
          'services',
          serviceHooks({ stores: access, allocators, onError: (error) => onError(error, 'service allocation') }),
        ],
      ]),
    specialHandlers: (access, accessControl) =>
      specialHandlers(access, accessControl, new Connections({ stores: access, agents, network: settings.network })),
    pools: new ThreadPools({ workerFile: settings.workerFile, thresholds: threadThresholds(options) }),
    timeouts: settings.timeouts,
    logDir: options.bool('enable-logs-handler') ? (settings.logDir ?? LOG_DIR) : undefined,
    advertise: () => externalAddress(options.string('external-hostname'), advertise, port),
  });
  parts.add(() => server.stop());
  metrics.attach({
    stores: server.stores,
    flowController: server.flowControl?.controller,
    pools: server.pools,
    watches: server.watches,
    storeSizes: () => stores.sizes(STORE_SIZE_MS),
    clusterIps: () => allocators.ranges.all(),
    nodePorts: allocators.nodePorts,
  });
  for (const [i, provider] of kms.entries())
    server.health.add({ name: `kms-provider-${i}`, check: () => provider.check() });
  const steps = new StartSteps({ fairly: server.flowControl !== undefined });
  for (const check of steps.checks) server.health.add(check);
  await server.start(async (listening) => {
    port = listening;
    // The cache is loaded before the server listens, and so are the limits of requests; the admission plugins were made
    // with the cache.
    steps.finish(
      'poststarthook/start-apiserver-admission-initializer',
      'poststarthook/generic-apiserver-start-informers',
      'poststarthook/storage-readiness',
    );
    steps.finish(
      'poststarthook/priority-and-fairness-config-consumer',
      'poststarthook/priority-and-fairness-filter',
      'poststarthook/max-in-flight-filter',
    );
    const serviceNodePort = options.int('cluster-service-node-port');
    const endpoints = openEndpointReconciler(access, {
      type: options.string('endpoint-reconciler-type') as EndpointReconcilerType,
      serverCount: options.int('apiserver-count'),
      leaseSeconds: SERVER_LEASE_SECONDS,
    });
    const controlPlane = await startControlPlane({
      stores: access,
      allocators,
      endpoints,
      advertiseAddress: advertise,
      securePort: port,
      serviceNodePort,
      repairIntervalMs: settings.repairIntervalMs,
      onError,
      onWarning,
      onFinished: (step) => steps.finish(step),
    });
    parts.add(() => controlPlane.stop());
    await ensureLocalApiServices(access('apiservices.apiregistration.k8s.io'), server.groupVersions);
    // Those of this server are available from when they are made.
    steps.finish(
      'poststarthook/apiservice-status-local-available-controller',
      'poststarthook/apiservice-registration-controller',
      'poststarthook/kube-apiserver-autoregistration',
      'autoregister-completion',
    );
    const publishing = await keepAuthenticationPublished(access('configmaps'), options, onError);
    parts.add(() => publishing.stop());
    steps.finish('poststarthook/start-cluster-authentication-info-controller');
    const tracking = await keepLegacyTokenTracking(access('configmaps'), onError);
    parts.add(() => tracking.stop());
    steps.finish('poststarthook/start-legacy-token-tracking-controller');
    const identity = await keepIdentityLease(access('leases.coordination.k8s.io'), { hostname: hostname(), onError });
    parts.add(() => identity.stop());
    steps.finish(
      'poststarthook/start-kube-apiserver-identity-lease-controller',
      'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
    );
  });
  const controllers = await startServerControllers({
    server,
    alone: options.component === 'up',
    only: settings.controllers,
    queueMetrics: metrics.queueMetrics,
    onError,
    onFinished: (step) => steps.finish(step),
  });
  parts.add(() => controllers.stop());
  const url = localUrl(host, port);
  const kubeconfig = kept === undefined ? '' : path.join(kept, 'kubeconfig');
  if (kubeconfig !== '') writeKubeconfig(kubeconfig, { server: url, ca: readFileSync(caFile, 'utf8'), token });
  const stop = (): Promise<void> => {
    // First of all: what the control plane takes to stop belongs to the delay.
    server.announceStop();
    return parts.close();
  };
  return { server, url, token, kubeconfig, stop };
}

function serviceAllocators(options: OptionValues, store: Store, access: StoreAccess): ServiceAllocators {
  const [low, high] = options.string('service-node-port-range').split('-').map(Number) as [number, number];
  return openServiceAllocators(store, access, { clusterIps: serviceRanges(options), nodePorts: { low, high } });
}

/** The default family's first. */
function serviceRanges(options: OptionValues): readonly string[] {
  return options.string('service-cluster-ip-range').split(',');
}

function traceWhenAsked(options: OptionValues, logger: Logger): Promise<Tracing> | undefined {
  const endpoint = options.string('tracing-otlp-endpoint');
  return endpoint === ''
    ? undefined
    : startTracing({ endpoint, serviceName: 'binnacle-apiserver', onWarning: (message) => logger.warn(message) });
}
