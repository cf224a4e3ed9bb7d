import { exponentialBuckets, type ControllerMetrics, type Counter, type Histogram } from '../controller-metrics.ts';
import type { ZoneCount } from './zone-state.ts';

export interface NodeMetrics {
  readonly zones: (counts: ReadonlyMap<string, ZoneCount>) => void;
  readonly evictions: Counter<'zone'>;
  readonly lookSeconds: Histogram;
  readonly nodeSeconds: Histogram;
}

export function nodeMetrics(metrics: ControllerMetrics): NodeMetrics {
  const zoneGauge = (name: string, help: string) =>
    metrics.gauge({ name: `node_collector_${name}`, help, labels: ['zone'] });
  const health = zoneGauge('zone_health', 'Percentage of the nodes of a zone that are ready.');
  const size = zoneGauge('zone_size', 'Nodes of a zone.');
  const unhealthy = zoneGauge('unhealthy_nodes_in_zone', 'Nodes of a zone that are not ready.');
  return {
    zones(counts) {
      for (const [zone, { ready, notReady }] of counts) {
        const nodes = ready + notReady;
        health.set(nodes === 0 ? 0 : (100 * ready) / nodes, { zone });
        size.set(nodes, { zone });
        unhealthy.set(notReady, { zone });
      }
    },
    evictions: metrics.counter({
      name: 'node_collector_evictions_total',
      help: 'Nodes that got a taint by which their pods are evicted.',
      labels: ['zone'],
    }),
    lookSeconds: metrics.histogram({
      name: 'node_collector_update_all_nodes_health_duration_seconds',
      help: 'Time that a look at all nodes takes.',
      buckets: exponentialBuckets(0.01, 4, 8),
    }),
    nodeSeconds: metrics.histogram({
      name: 'node_collector_update_node_health_duration_seconds',
      help: 'Time that a look at one node takes.',
      buckets: exponentialBuckets(0.001, 4, 8),
    }),
  };
}
