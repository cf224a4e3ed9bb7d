import { cacheName } from '../registry/resource-store.ts';
import type { ApiServerParts, ApiServerSettings } from './api-server.ts';
import { BodyBudget } from './bodies/body-budget.ts';
import { DiscoveryDocuments } from './discovery/discovery-documents.ts';
import { Dispatcher } from './dispatcher.ts';
import type { ServedCatalog } from './documents/served-catalog.ts';
import { chainHandlers, filterChain } from './filter-chain.ts';
import { FlowControlPages } from './flow-control/flow-control-pages.ts';
import { UnreadAnswers } from './flow-control/unread-answers.ts';
import { LogPages } from './logs/log-pages.ts';
import { OpenApiDocuments } from './openapi/openapi-documents.ts';
import type { ProfilingPages } from './profiling/profiling-pages.ts';
import { BulkEncoder } from './representation/bulk-encoder.ts';
import type { Handler, RequestContext } from './request/request-context.ts';
import type { ServerParts } from './resource-endpoint.ts';
import type { ServingState } from './serving-state.ts';
import { StatusPages } from './status-pages/status-pages.ts';
import type { HealthChecks } from './system/health.ts';
import { SystemPaths } from './system/system-paths.ts';
import { apiRelease } from './system/version.ts';
import type { WatchSessions } from './watches/watch-sessions.ts';

/** What handlers need besides what the server is given. */
export interface HandlerParts extends ApiServerParts {
  readonly catalog: ServedCatalog;
  readonly watches: WatchSessions;
  readonly health: HealthChecks;
  readonly state: ServingState;
  /** Absent: no profiles are served. */
  readonly profiling: ProfilingPages | undefined;
}

/** The filters, and behind them the dispatcher of resources and everything outside of resources. */
export function requestHandler(parts: HandlerParts, settings: ApiServerSettings): Handler {
  const { accessControl, flowControl, catalog } = parts;
  const dispatcher = resourceDispatcher(parts, settings);
  const system = systemPaths(parts, settings);
  const chain = filterChain({
    metrics: parts.metrics,
    logger: parts.logger,
    accessControl,
    limits: settings.limits,
    bodies: new BodyBudget(),
    fairShares:
      flowControl === undefined
        ? undefined
        : { controller: flowControl.controller, sizes: flowControl, unread: new UnreadAnswers() },
    apiPage: parts.apiPage,
    audit: parts.audit,
    state: parts.state,
    onError: parts.onError,
  });
  return chainHandlers(chain, (context) =>
    context.info.isResource && catalog.groupVersions.has(groupVersionOf(context))
      ? dispatcher.dispatch(context)
      : system.answer(context),
  );
}

function resourceDispatcher(parts: HandlerParts, settings: ApiServerSettings): Dispatcher {
  const { registry, stores, accessControl, pools } = parts;
  const shared: ServerParts = {
    admission: accessControl.admission,
    authorizer: accessControl.authorizer,
    pools,
    bulk: new BulkEncoder(pools),
    watches: parts.watches,
    deleteCollectionWorkers: settings.deleteCollectionWorkers,
    minRequestTimeoutSeconds: settings.minRequestTimeoutSeconds,
    compressResponses: settings.compressResponses,
    listsInChunks: settings.listsInChunks,
    policy: settings.policy,
    nowMs: Date.now,
  };
  return new Dispatcher({
    scheme: registry,
    storeOf: (definition) => stores.find(cacheName(definition)),
    parts: shared,
    special: parts.specialHandlers,
    emulatedMinor: settings.emulatedMinor,
  });
}

function systemPaths(parts: HandlerParts, settings: ApiServerSettings): SystemPaths {
  const { catalog, pools, flowControl, profiling } = parts;
  const { emulatedMinor } = settings;
  const discovery = new DiscoveryDocuments({ resources: catalog.resources, serverAddress: parts.address });
  const openApi = new OpenApiDocuments({
    resources: catalog.resources,
    info: { title: 'Kubernetes', version: `v${apiRelease.major}.${apiRelease.minor}.${apiRelease.patch}` },
    build: (build) => pools.buildOpenApi(build),
    buildV2: (build) => pools.buildV2Parts(build),
  });
  catalog.listen((groups) => {
    discovery.update(catalog.resources, groups);
    openApi.update(catalog.resources, groups);
  });
  const status = new StatusPages({
    startMs: Date.now() - process.uptime() * 1000,
    nowMs: Date.now,
    emulatedMinor,
    flags: settings.flags,
  });
  return new SystemPaths({
    discovery,
    openApi,
    health: parts.health,
    metrics: parts.metrics,
    emulatedMinor,
    catalog,
    openIdDocument: parts.accessControl.serviceAccounts.openIdDocument,
    pages: [
      status,
      ...(profiling === undefined ? [] : [profiling]),
      ...(flowControl === undefined ? [] : [new FlowControlPages(flowControl.controller)]),
      ...(settings.logDir === undefined ? [] : [new LogPages(settings.logDir)]),
    ],
  });
}

function groupVersionOf(context: RequestContext): string {
  const { group, version } = context.info;
  return group === '' ? version : `${group}/${version}`;
}
