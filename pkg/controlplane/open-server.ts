import { ApiPage } from '../server/api-page/api-page.ts';
import { ApiServer } from '../server/api-server.ts';
import { Connections } from '../server/connections/connections.ts';
import { nodeAgentSettings } from '../server/connections/node-agent-settings.ts';
import { specialHandlers } from '../server/subresources/special-handlers.ts';
import type { ServerConfig } from './config/server-config.ts';
import { errorReport } from './environment.ts';
import type { Access, AccessParts } from './open-access.ts';
import type { OpenParts } from './open-parts.ts';
import { StartSteps } from './start-steps.ts';
import { nodeUsage, podUsage } from '../simulation/usage.ts';

/** How long a scrape waits for the servers of a store. */
const STORE_SIZE_MS = 1000;

export interface OpenedServer {
  readonly server: ApiServer;
  /** How far the start has come, as health checks. */
  readonly steps: StartSteps;
}

/** Fifth step of a start: the server, which does not listen yet, with its health checks and figures. */
export function openServer(
  config: ServerConfig,
  { environment, backends, registry, address }: AccessParts,
  { accessControl, flowControl }: Access,
  parts: OpenParts,
): OpenedServer {
  const { logger, network } = environment;
  const { metrics, stores: opened } = backends;
  const { stores, pools, access, allocators } = registry;
  const warn = (message: string): void => logger.warn(message, { where: 'node agents' });
  const agents = nodeAgentSettings(config.nodeAgents, warn);
  const server = new ApiServer(
    {
      registry: backends.resources,
      stores,
      pools,
      accessControl,
      specialHandlers: specialHandlers(
        access,
        accessControl,
        new Connections({ stores: access, agents, network }),
        { ofPod: podUsage, ofNode: nodeUsage },
        componentsIn(config.programs),
      ),
      flowControl,
      tls: backends.tls.tls,
      address,
      metrics,
      logger,
      apiPage: config.apiPage ? new ApiPage() : undefined,
      audit: backends.audit,
      onError: errorReport(environment),
    },
    config.server,
  );
  parts.add(() => server.stop());
  metrics.attach({
    stores,
    flowController: flowControl?.controller,
    pools,
    watches: server.watches,
    storeSizes: () => opened.sizes(STORE_SIZE_MS),
    clusterIps: () => allocators.ranges.all(),
    nodePorts: allocators.nodePorts,
  });
  for (const [i, provider] of opened.kms.entries())
    server.health.add({ name: `kms-provider-${i}`, check: () => provider.check() });
  const steps = new StartSteps({ fairly: flowControl !== undefined });
  for (const check of steps.checks) server.health.add(check);
  return { server, steps };
}

/** Components of the control plane beside the API server, by their names in `componentstatuses`. */
function componentsIn(programs: ServerConfig['programs']): ReadonlySet<string> {
  const names = new Set<string>();
  if (programs !== undefined && programs.controllers.length > 0) names.add('controller-manager');
  if (programs?.scheduler === true) names.add('scheduler');
  return names;
}
