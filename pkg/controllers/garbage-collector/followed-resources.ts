import { groupVersionOf, resourceKey, type Resource } from '../../api/resource.ts';
import { events } from '../../api/core/tokens.ts';
import { sleep, type Clock } from '../../apimachinery/clock.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedDiscovery } from '../../client/discovery/cached-discovery.ts';
import type { EventHandler } from '../../client/informer/event-handler.ts';
import { InformerSet } from '../../client/informer/informer-set.ts';
import type { ObjectSources } from '../../client/informer/object-source.ts';
import { metadataOf } from '../../client/rest/partial-metadata.ts';
import type { Informers } from '../controller-context.ts';

export interface FollowedResourcesOptions {
  readonly sources: ObjectSources;
  /** Of the controllers that follow whole objects: their informers serve this one as well. */
  readonly informers: Pick<Informers, 'find'>;
  readonly discovery: CachedDiscovery;
  readonly clock: Clock;
  readonly handlerOf: (resource: Resource) => EventHandler<ApiObject>;
  readonly onError: (error: unknown) => void;
  /** Called when the resources could not be read, or the objects of one are not known in time. */
  readonly onSyncFailed: () => void;
}

const PERIOD_MS = 30_000;
/** After a change of what is served: several come together. */
const CHANGE_MS = 500;
/** A resource whose objects cannot be listed does not keep the others waiting for longer. */
const SYNC_MS = 30_000;
/** Events own nothing and have no owners; there are many. */
const IGNORED = new Set([resourceKey(events), 'events.events.k8s.io']);
/** Their objects decide what is served. */
const SERVING = new Set(['customresourcedefinitions.apiextensions.k8s.io', 'apiservices.apiregistration.k8s.io']);

/** At least the metadata of all objects that can be deleted, of every resource that the server has at the time. */
export class FollowedResources {
  private readonly options: FollowedResourcesOptions;
  private readonly set: InformerSet<ApiObject>;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private changed = new AbortController();
  private syncing: Promise<void> = Promise.resolve();

  constructor(options: FollowedResourcesOptions) {
    const { sources, informers, handlerOf, clock, onError } = options;
    this.options = options;
    this.set = new InformerSet(sources, (resource) => this.handler(resource, handlerOf(resource)), {
      report: onError,
      clock,
      shared: informers,
    });
  }

  /** Resolves when all objects are known that can be; rejects where the server does not say what it has. */
  async start(): Promise<void> {
    await this.follow();
    await this.ready;
    this.running ??= this.run();
  }

  /** Resolves when the handlers have seen what there is of each resource, also of new ones, or one takes too long. */
  get ready(): Promise<void> {
    return this.syncing;
  }

  private async whenSynced(): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([this.set.whenSynced(), sleep(this.options.clock, SYNC_MS, waiting.signal)]);
    waiting.abort();
    if (!this.stopping.signal.aborted && this.set.unsynced().length > 0) this.options.onSyncFailed();
  }

  known(resource: Resource, namespace: string, name: string): ApiObject | undefined {
    return this.set.find(resource)?.lister.get({ namespace, name });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.changed.abort();
    await this.set.stop();
    await this.running;
  }

  private async run(): Promise<void> {
    const { clock, discovery, onError } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sleep(clock, PERIOD_MS, this.changed.signal);
      if (this.changed.signal.aborted) await sleep(clock, CHANGE_MS, signal);
      if (signal.aborted) return;
      this.changed = new AbortController();
      discovery.invalidate();
      await this.follow().catch((error: unknown) => {
        this.options.onSyncFailed();
        onError(error);
      });
    }
  }

  /** Resources of groups that do not answer are followed on, if they were. */
  private async follow(): Promise<void> {
    const { resources, failures } = await this.options.discovery.resources();
    const wanted = resources
      .filter(
        ({ resource, verbs, isPreferred, isMoved }) =>
          isPreferred &&
          !isMoved &&
          !IGNORED.has(resourceKey(resource)) &&
          ['delete', 'list', 'watch'].every((v) => verbs.includes(v)),
      )
      .map(({ resource }) => metadataOf(resource));
    const keys = new Set(wanted.map(resourceKey));
    const kept = this.set.resources.filter(
      (resource) => failures.has(groupVersionOf(resource)) && !keys.has(resourceKey(resource)),
    );
    if (this.stopping.signal.aborted) return;
    const { added } = await this.set.follow([...wanted, ...kept]);
    if (added.length > 0) this.syncing = this.whenSynced();
  }

  private handler(resource: Resource, handler: EventHandler<ApiObject>): EventHandler<ApiObject> {
    if (!SERVING.has(resourceKey(resource))) return handler;
    const change = (): void => this.changed.abort();
    return {
      onAdd(object, isInInitialList) {
        handler.onAdd?.(object, isInInitialList);
        if (!isInInitialList) change();
      },
      onUpdate(old, current) {
        handler.onUpdate?.(old, current);
        change();
      },
      onDelete(last) {
        handler.onDelete?.(last);
        change();
      },
    };
  }
}
