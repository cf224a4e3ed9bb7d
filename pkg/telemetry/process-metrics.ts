import { collectDefaultMetrics, Registry } from 'prom-client';

/** How often the delay of the event loop is looked at: 10 ms, the library's own, cost an idle program 1 % of a core. */
const EVENT_LOOP_MS = 100;

/** Names that end in `total` without being counters; the series by type add up to the same. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/**
 * Process-wide: the figures of the process itself, the same for all servers in it. The library has no way to close what
 * it observes them by (collections of garbage, delays of the event loop), which would keep a stopped server in memory.
 */
let shared: Registry | undefined;

/** Node's figures of this process: CPU, memory, garbage collection, event loop, handles. */
export function processMetrics(): Registry {
  if (shared !== undefined) return shared;
  shared = new Registry();
  collectDefaultMetrics({ register: shared, eventLoopMonitoringPrecision: EVENT_LOOP_MS });
  for (const name of misnamed) shared.removeSingleMetric(name);
  return shared;
}
