import type { AnyResource } from '../../api/resource-definition.ts';
import { groupOf, versionOf } from '../../api/scheme.ts';
import { cacheName } from '../../registry/resource-store.ts';
import type { Cacher } from '../../storage/cacher/cacher.ts';
import { eventSizeBounds, type CacheStats, type ListStats } from '../../storage/cacher/cache-stats.ts';
import type { ResourceCache } from '../../storage/cacher/resource-cache.ts';
import { durationView, runningSums } from './histogram-series.ts';
import type { HistogramView, Labels, MetricFamily, Sample } from './metric-family.ts';
import { resourceLabels } from './resource-labels.ts';

export interface CacherFamiliesOptions {
  readonly resources: () => readonly AnyResource[];
  /** False leaves out the counts of stored objects (`--store-count-metric-poll-period` of 0). */
  readonly countObjects: boolean;
  /** That of the main store first; none before the server is attached. */
  readonly cachers: () => readonly Cacher[];
}

/**
 * The content and work of the cacher, read at each scrape: it has its own counters, and nothing here runs between
 * scrapes.
 */
export function cacherFamilies(options: CacherFamiliesOptions): readonly MetricFamily[] {
  const byResource =
    (value: (cache: ResourceCache) => number, labelsOf = labelsOfCache) =>
    (): Sample[] =>
      cachesOf(options.cachers()).map((cache) => ({ labels: labelsOf(cache), value: value(cache) }));
  return [
    ...(options.countObjects ? storedObjects(byResource) : []),
    ...receivedFamilies(byResource, options.cachers),
    {
      name: 'apiserver_watch_cache_events_dispatched_total',
      type: 'counter',
      help: 'Changes that the watch cache passed on, by resource.',
      samples: byResource((cache) => cache.stats.events),
    },
    {
      name: 'apiserver_watch_cache_initializations_total',
      type: 'counter',
      help: 'Complete loads of the watch cache, by resource.',
      samples: byResource((cache) => cache.stats.loads),
    },
    {
      name: 'apiserver_init_events_total',
      type: 'counter',
      help: 'Events that watches began with, by resource.',
      samples: byResource((cache) => cache.stats.initialEvents),
    },
    {
      name: 'watch_cache_capacity',
      type: 'gauge',
      help: 'Changes that the watch cache keeps, by resource.',
      samples: byResource((cache) => cache.ringCapacity),
    },
    ...watchEvents(options),
    ...listFamilies(options.cachers),
    ...ownFamilies(options.cachers),
  ];
}

type ByResource = (
  value: (cache: ResourceCache) => number,
  labelsOf?: (cache: ResourceCache) => Labels,
) => () => Sample[];

// Process-wide: an entry belongs to its cache, which belongs to one server.
const labelsByCache = new WeakMap<ResourceCache, Labels>();

function labelsOfCache(cache: ResourceCache): Labels {
  let labels = labelsByCache.get(cache);
  if (labels === undefined) labelsByCache.set(cache, (labels = resourceLabels(cache.resource.name)));
  return labels;
}

/**
 * The cache knows its size, so the value is never older than the scrape, whatever the poll period. Two names that
 * followed each other.
 */
function storedObjects(byResource: ByResource): readonly MetricFamily[] {
  const size = (cache: ResourceCache): number => cache.size;
  return [
    {
      name: 'apiserver_storage_objects',
      type: 'gauge',
      help: 'Stored objects, by resource.',
      samples: byResource(size, (cache) => ({ resource: cache.resource.name })),
    },
    {
      name: 'apiserver_resource_objects',
      type: 'gauge',
      help: 'Stored objects, by group and resource.',
      samples: byResource(size),
    },
  ];
}

/** Events of the store's watch: all of it goes through the watch cache, which shows one revision of all resources. */
function receivedFamilies(byResource: ByResource, cachers: () => readonly Cacher[]): readonly MetricFamily[] {
  const events = byResource((cache) => cache.stats.events);
  return [
    {
      name: 'apiserver_storage_events_received_total',
      type: 'counter',
      help: 'Changes that came from the store, by resource.',
      samples: events,
    },
    {
      name: 'apiserver_watch_cache_events_received_total',
      type: 'counter',
      help: 'Changes that came to the watch cache, by resource.',
      samples: events,
    },
    {
      name: 'apiserver_watch_cache_resource_version',
      type: 'gauge',
      help: 'Revision of the store that the watch cache shows, by resource.',
      samples: () =>
        cachers().flatMap((cacher) =>
          [...cacher.allCaches()].map((cache) => ({ labels: labelsOfCache(cache), value: cacher.revision })),
        ),
    },
    {
      name: 'apiserver_watch_cache_read_wait_seconds',
      type: 'histogram',
      help: 'Time that reads waited for the watch cache to be as new as they want it, by resource.',
      series: () =>
        cachesOf(cachers())
          .filter(({ stats }) => stats.readWaits.sum > 0)
          .map((cache) => durationView(labelsOfCache(cache), cache.stats.readWaits)),
    },
    {
      name: 'apiserver_watch_cache_consistent_read_total',
      type: 'counter',
      help: 'Consistent reads, by whether the watch cache answered or the store did in its place.',
      samples: () =>
        cachesOf(cachers()).flatMap((cache) => {
          const { fromCache, fromStore } = cache.stats.consistentReads;
          return [
            ['false', fromCache],
            ['true', fromStore],
          ].flatMap(([fallback, value]) =>
            value === 0
              ? []
              : [
                  {
                    labels: { fallback: String(fallback), ...labelsOfCache(cache), success: 'true' },
                    value: Number(value),
                  },
                ],
          );
        }),
    },
  ];
}

/** Events are counted per resource and shown under its hub version, for watchers of any version. */
function watchEvents(options: CacherFamiliesOptions): readonly MetricFamily[] {
  const labelled = (): { name: string; labels: Labels }[] =>
    options
      .resources()
      .filter((r) => r.virtual !== true)
      .map((r) => ({
        name: cacheName(r),
        labels: { group: groupOf(r.hub), kind: r.kind, resource: r.resource, version: versionOf(r.hub) },
      }));
  const each =
    <T>(read: (stats: CacheStats, labels: Labels) => T) =>
    (): T[] => {
      const caches = new Map(cachesOf(options.cachers()).map((cache) => [cache.resource.name, cache]));
      return labelled().flatMap(({ name, labels }) => {
        const cache = caches.get(name);
        return cache === undefined ? [] : [read(cache.stats, labels)];
      });
    };
  return [
    {
      name: 'apiserver_watch_events_total',
      type: 'counter',
      help: 'Events sent to watchers, by kind.',
      samples: each((stats, labels) => ({ labels, value: stats.deliveries })),
    },
    {
      name: 'apiserver_watch_events_sizes',
      type: 'histogram',
      help: 'Bytes of events sent to watchers, by kind.',
      series: () => each(sizesOf)().filter((view) => view.sum > 0),
    },
    {
      name: 'apiserver_watch_list_duration_seconds',
      type: 'histogram',
      help: 'Time until watches had sent the initial objects, of those that mark their end.',
      series: () =>
        each((stats, labels) =>
          Object.entries(stats.watchLists)
            .filter(([, times]) => times.sum > 0)
            .map(([scope, times]) =>
              durationView(
                { group: labels.group!, resource: labels.resource!, scope, version: labels.version! },
                times,
              ),
            ),
        )().flat(),
    },
  ];
}

function sizesOf(stats: CacheStats, labels: Labels): HistogramView {
  return {
    labels,
    bounds: eventSizeBounds,
    sum: stats.deliveredBytes,
    cumulative: () => runningSums(stats.deliveriesBySize),
  };
}

/** Lists from memory have the store's path as an additional label, as releases before 1.34 have it. */
function listFamilies(cachers: () => readonly Cacher[]): readonly MetricFamily[] {
  const counter = (
    name: string,
    help: string,
    labelsOf: (cache: ResourceCache) => Labels,
    value: (stats: CacheStats) => number,
  ): MetricFamily => ({
    name,
    type: 'counter',
    help,
    samples: () => cachesOf(cachers()).map((cache) => ({ labels: labelsOf(cache), value: value(cache.stats) })),
  });
  const path = (cache: ResourceCache): Labels => ({
    ...labelsOfCache(cache),
    resource_prefix: `/${cache.resource.storagePath}`,
  });
  // There is one order of objects in memory, and no index over it.
  const indexed = (cache: ResourceCache): Labels => ({ index: '', ...path(cache) });
  const inCache =
    (figure: keyof ListStats) =>
    (stats: CacheStats): number =>
      stats.cacheLists[figure];
  const inStore =
    (figure: keyof ListStats) =>
    (stats: CacheStats): number =>
      stats.storeLists[figure];
  return [
    counter('apiserver_cache_list_total', 'Lists answered from memory.', indexed, inCache('lists')),
    counter(
      'apiserver_cache_list_fetched_objects_total',
      'Objects that lists from memory looked at.',
      indexed,
      inCache('fetched'),
    ),
    counter(
      'apiserver_cache_list_returned_objects_total',
      'Objects that lists from memory answered with.',
      path,
      inCache('returned'),
    ),
    counter('apiserver_storage_list_total', 'Lists answered from the store.', labelsOfCache, inStore('lists')),
    counter(
      'apiserver_storage_list_fetched_objects_total',
      'Objects that lists from the store read.',
      labelsOfCache,
      inStore('fetched'),
    ),
    counter(
      'apiserver_storage_list_evaluated_objects_total',
      'Objects that lists from the store held against selectors.',
      labelsOfCache,
      inStore('evaluated'),
    ),
    counter(
      'apiserver_storage_list_returned_objects_total',
      'Objects that lists from the store answered with.',
      labelsOfCache,
      inStore('returned'),
    ),
  ];
}

/** The memory is one for all cachers; the revision is that of the main store. */
function ownFamilies(cachers: () => readonly Cacher[]): readonly MetricFamily[] {
  const one = (value: (main: Cacher, all: readonly Cacher[]) => number) => (): Sample[] => {
    const all = cachers();
    return all.length === 0 ? [] : [{ labels: {}, value: value(all[0]!, all) }];
  };
  return [
    {
      name: 'binnacle_cacher_budget_used_bytes',
      type: 'gauge',
      help: 'Memory of decoded objects and encoded forms in the watch cache.',
      samples: one((main) => main.budget.used),
    },
    {
      name: 'binnacle_cacher_budget_limit_bytes',
      type: 'gauge',
      help: 'Memory that decoded objects and encoded forms may take.',
      samples: one((main) => main.budget.limitBytes),
    },
    {
      name: 'binnacle_cacher_revision',
      type: 'gauge',
      help: 'Store revision that the watch cache shows.',
      samples: one((main) => main.revision),
    },
    {
      name: 'binnacle_cacher_ready',
      type: 'gauge',
      help: '1 while the watch cache is complete, 0 while it loads.',
      samples: one((_, all) => (all.every((c) => c.ready) ? 1 : 0)),
    },
  ];
}

function cachesOf(cachers: readonly Cacher[]): ResourceCache[] {
  return cachers.flatMap((cacher) => [...cacher.allCaches()]);
}
