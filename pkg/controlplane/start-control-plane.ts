import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../apimachinery/json/json-object.ts';
import type { UserInfo } from '../api/resource-definition.ts';
import type { ObjectSources } from '../client/informer/object-source.ts';
import type { Client } from '../client/rest/client.ts';
import { ServerAddress } from '../net/server-address.ts';
import type { ApiServer } from '../server/api-server.ts';
import type { LocalClientOptions } from '../server/local/local-client.ts';
import { apiRelease } from '../server/system/version.ts';
import type { ServerConfig } from './config/server-config.ts';
import { errorReport, type Environment } from './environment.ts';
import { adminKubeconfig, writeKubeconfig } from './kubeconfig.ts';
import { startLocalPrograms } from './local-programs.ts';
import { openAccess } from './open-access.ts';
import { openBackends, type Backends } from './open-backends.ts';
import { OpenParts } from './open-parts.ts';
import { openRegistry } from './open-registry.ts';
import { openServer } from './open-server.ts';
import { withOwnAuthorities } from './own-authorities.ts';
import { localUrl } from './server-address.ts';
import { FIRST_ROUND_MS, startServerControllers, type ServerControllersOptions } from './server-controllers.ts';
import { startCluster } from './start-cluster.ts';
import { withTimeout } from './with-timeout.ts';

/** A control plane that runs in this process. */
export interface ControlPlane {
  /** Where clients on this machine reach it. */
  readonly url: string;
  /** The administrator's. */
  readonly token: string;
  readonly kubeconfig: {
    /** Of the file; empty where none can be kept. */
    readonly path: string;
    /** What clients are made of, as in the file. */
    readonly object: JsonObject;
  };
  /** Its server, for tests that look inside. */
  readonly server: ApiServer;
  /** The object API for programs of this process, as `user`: through all filters but authentication. */
  localClient(user: UserInfo, options?: LocalClientOptions): Client;
  /** The sources of this process's informers, as `user`; `report` is called with the reason when one fails. */
  localSources(user: UserInfo, report: (error: unknown) => void): ObjectSources;
  /** Resolves when nothing of it is left in the process; rejects with the first part that cannot be closed. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane: opens its parts downward (docs/decisions/0021-composition-root.md), makes what every cluster
 * has, and serves. Where a step fails, what was open is closed, last things first, and the step's error is thrown;
 * `OptionsError` for what only opening can find wrong with options.
 */
export async function startControlPlane(config: ServerConfig, environment: Environment): Promise<ControlPlane> {
  const parts = new OpenParts();
  try {
    return await openControlPlane(config, environment, parts);
  } catch (error) {
    await closeAll(parts, environment);
    throw error;
  }
}

/** Returns what could not be closed, once it is reported. */
async function closeAll(parts: OpenParts, environment: Environment): Promise<readonly unknown[]> {
  const failures = await parts.close();
  const report = errorReport(environment);
  for (const failure of failures) report(failure, 'stopping the control plane');
  return failures;
}

async function openControlPlane(
  config: ServerConfig,
  environment: Environment,
  parts: OpenParts,
): Promise<ControlPlane> {
  const backends = await openBackends(config, environment, parts);
  const registry = openRegistry(config, environment, backends, parts);
  const address = new ServerAddress({ ...config.address, port: config.server.port });
  const shared = { environment, backends, registry, address };
  const access = openAccess(config, shared, parts);
  const opened = openServer(config, shared, access, parts);
  const { server, steps } = opened;
  await registry.stores.start();
  access.flowControl?.start();
  await server.listen();
  // The cache is loaded before the server listens, and so are the limits of requests; the admission plugins were made
  // with the cache.
  steps.finish(
    'poststarthook/start-apiserver-admission-initializer',
    'poststarthook/generic-apiserver-start-informers',
    'poststarthook/storage-readiness',
    'poststarthook/priority-and-fairness-config-consumer',
    'poststarthook/priority-and-fairness-filter',
    'poststarthook/max-in-flight-filter',
  );
  const upkeep = await startCluster(config, { environment, registry, opened, address });
  server.serve();
  const controllers = await startServerControllers({
    server,
    manager: managerPlace(config),
    only: config.controllers,
    ...upkeep,
    queueMetrics: backends.metrics.queueMetrics,
    onError: errorReport(environment),
    onWarning: (message, where) => environment.logger.warn(message, { where }),
    onFinished: (step) => steps.finish(step),
  });
  parts.add(() => controllers.stop());
  if (config.programs !== undefined) {
    const programs = startLocalPrograms({
      server,
      ...config.programs,
      config: withOwnAuthorities(config.programs.config, {
        caFile: backends.tls.caFile,
        clientCaFile: config.ownClientAuthority,
        accountKey: accountKeyOf(config),
      }),
      kubeletVersion: `v${apiRelease.major}.${apiRelease.minor}.${apiRelease.patch}`,
      queueMetrics: backends.metrics.queueMetrics,
      controllerMetrics: backends.metrics.controllerMetrics,
      onError: errorReport(environment),
    });
    parts.add(() => programs.stop());
    await withTimeout(programs.settled(), FIRST_ROUND_MS);
  }
  const url = localUrl(config.server.host, address.port);
  return {
    url,
    token: backends.adminToken,
    kubeconfig: keepKubeconfig(url, backends),
    server,
    localClient: (user, options) => server.localClient(user, options),
    localSources: (user, report) => server.localSources(user, report),
    async stop() {
      // First of all: what the control plane takes to stop belongs to the delay.
      server.announceStop();
      const [failure] = await closeAll(parts, environment);
      if (failure !== undefined) throw failure;
    },
  };
}

/** With an empty `--controllers` the server keeps what it cannot be used without. */
function managerPlace({ component, programs }: ServerConfig): ServerControllersOptions['manager'] {
  if (programs !== undefined && programs.controllers.length > 0) return 'here';
  return component === 'up' ? 'nowhere' : 'perhaps elsewhere';
}

function keepKubeconfig(url: string, { adminDir, adminToken, tls }: Backends): ControlPlane['kubeconfig'] {
  const credentials = { server: url, ca: readFileSync(tls.caFile, 'utf8'), token: adminToken };
  const file = adminDir === undefined ? '' : path.join(adminDir, 'kubeconfig');
  if (file !== '') writeKubeconfig(file, credentials);
  return { path: file, object: adminKubeconfig(credentials) };
}

/** PEM; undefined where no key signs tokens. */
function accountKeyOf({ authentication }: ServerConfig): string | undefined {
  const { ownKeyFile, signingKey } = authentication.serviceAccounts;
  if (ownKeyFile !== undefined) return readFileSync(ownKeyFile, 'utf8');
  return signingKey === undefined ? undefined : String(signingKey.privateKey.export({ type: 'pkcs8', format: 'pem' }));
}
