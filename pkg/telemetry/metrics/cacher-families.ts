import type { AnyResource } from '../../api/resource-definition.ts';
import { groupOf, versionOf } from '../../api/scheme.ts';
import { cacheName } from '../../registry/resource-store.ts';
import type { Cacher } from '../../storage/cacher/cacher.ts';
import type { ResourceCache } from '../../storage/cacher/resource-cache.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

export interface CacherFamiliesOptions {
  readonly resources: readonly AnyResource[];
  /** False leaves out the counts of stored objects (`--store-count-metric-poll-period` of 0). */
  readonly countObjects: boolean;
  readonly cacher: () => Cacher | undefined;
}

/** What the cacher holds and did, read when asked: it counts for itself, and nothing here runs between scrapes. */
export function cacherFamilies(options: CacherFamiliesOptions): readonly MetricFamily[] {
  const byResource = (value: (cache: ResourceCache) => number) => (): Sample[] =>
    [...(options.cacher()?.allCaches() ?? [])].map((cache) => ({ labels: { resource: cache.resource.name }, value: value(cache) }));
  return [
    ...(options.countObjects ? [storedObjects(byResource((cache) => cache.size))] : []),
    {
      name: 'apiserver_watch_cache_events_dispatched_total', type: 'counter', help: 'Changes that the watch cache passed on, by resource.',
      samples: byResource((cache) => cache.stats.events),
    },
    { name: 'watch_cache_capacity', type: 'gauge', help: 'Changes that the watch cache keeps, by resource.', samples: byResource((cache) => cache.resource.ringCapacity) },
    watchEvents(options),
    ...ownFamilies(options.cacher),
  ];
}

/** The cache knows its size, so the value is never older than the scrape, whatever the poll period. */
function storedObjects(samples: () => Sample[]): MetricFamily {
  return { name: 'apiserver_storage_objects', type: 'gauge', help: 'Stored objects, by resource.', samples };
}

/** Events are counted per resource and shown under its hub version, whatever version each watcher asked for. */
function watchEvents(options: CacherFamiliesOptions): MetricFamily {
  const stored = options.resources.filter((r) => r.virtual !== true);
  const labelled = stored.map((r) => ({ name: cacheName(r), labels: { group: groupOf(r.hub), kind: r.kind, version: versionOf(r.hub) } }));
  return {
    name: 'apiserver_watch_events_total', type: 'counter', help: 'Events sent to watchers, by kind.',
    samples: () => {
      const cacher = options.cacher();
      return cacher === undefined ? [] : labelled.map(({ name, labels }) => ({ labels, value: cacher.cache(name).stats.deliveries }));
    },
  };
}

function ownFamilies(cacher: () => Cacher | undefined): readonly MetricFamily[] {
  const one = (value: (cacher: Cacher) => number) => (): Sample[] => {
    const found = cacher();
    return found === undefined ? [] : [{ labels: {}, value: value(found) }];
  };
  return [
    { name: 'binnacle_cacher_budget_used_bytes', type: 'gauge', help: 'Memory of decoded objects and encoded forms in the watch cache.', samples: one((c) => c.budget.used) },
    { name: 'binnacle_cacher_budget_limit_bytes', type: 'gauge', help: 'Memory that decoded objects and encoded forms may take.', samples: one((c) => c.budget.limitBytes) },
    { name: 'binnacle_cacher_revision', type: 'gauge', help: 'Store revision that the watch cache shows.', samples: one((c) => c.revision) },
    { name: 'binnacle_cacher_ready', type: 'gauge', help: '1 while the watch cache is complete, 0 while it loads.', samples: one((c) => (c.ready ? 1 : 0)) },
    {
      name: 'binnacle_watch_delivered_bytes_total', type: 'counter', help: 'Bytes of events written to watchers.',
      samples: one((c) => [...c.allCaches()].reduce((sum, cache) => sum + cache.stats.deliveredBytes, 0)),
    },
  ];
}
