import { resourceKey, type Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { EventHandler, HandlerRegistration } from './event-handler.ts';
import type { InformerFactory } from './informer-factory.ts';
import type { ObjectSources } from './object-source.ts';
import { SharedInformer, type InformerOptions } from './shared-informer.ts';

interface Followed<T extends ApiObject> {
  readonly resource: Resource<T>;
  readonly informer: SharedInformer<T>;
  readonly registration: HandlerRegistration;
  /** It is another's, who starts and stops it. */
  readonly isShared: boolean;
}

export interface InformerSetOptions extends InformerOptions {
  /**
   * Informers that others keep anyway: where there is one, also for a resource whose metadata would do, the handler is
   * added to it, and the process has its objects once.
   */
  readonly shared?: Pick<InformerFactory, 'find'>;
}

/**
 * Informers of resources that come and go while a program runs, as those of discovery do: the garbage collector and
 * quota follow them all. One handler is made for each resource.
 */
export class InformerSet<T extends ApiObject> {
  private readonly sources: ObjectSources;
  private readonly handlerOf: (resource: Resource<T>) => EventHandler<T>;
  private readonly options: InformerSetOptions;
  private readonly followed = new Map<string, Followed<T>>();
  private isStopped = false;

  constructor(
    sources: ObjectSources,
    handlerOf: (resource: Resource<T>) => EventHandler<T>,
    options: InformerSetOptions,
  ) {
    this.sources = sources;
    this.handlerOf = handlerOf;
    this.options = options;
  }

  get resources(): Resource<T>[] {
    return Array.from(this.followed.values(), ({ resource }) => resource);
  }

  /** The informer of a resource that is followed, whatever the version. */
  find(resource: Resource): SharedInformer<T> | undefined {
    return this.followed.get(keyOf(resource))?.informer;
  }

  /**
   * Follows these resources and no others: starts informers of new ones, and stops those of resources that are gone, or
   * are asked for in another version. A handler hears nothing of the end of its resource.
   */
  async follow(
    resources: readonly Resource<T>[],
  ): Promise<{ readonly added: Resource<T>[]; readonly removed: Resource<T>[] }> {
    const wanted = new Map(resources.map((resource) => [keyOf(resource), resource]));
    const gone = [...this.followed].filter(([key, { resource }]) => wanted.get(key)?.version !== resource.version);
    for (const [key] of gone) this.followed.delete(key);
    const added: Resource<T>[] = [];
    for (const [key, resource] of wanted) {
      if (this.isStopped || this.followed.has(key)) continue;
      added.push(resource);
      this.followed.set(key, this.start(resource));
    }
    await Promise.all(gone.map(([, followed]) => leave(followed)));
    return { added, removed: gone.map(([, { resource }]) => resource) };
  }

  /** Those whose objects are not known yet: their informers have no first list. */
  unsynced(): Resource<T>[] {
    return [...this.followed.values()].flatMap(({ resource, informer }) => (informer.synced ? [] : [resource]));
  }

  /** Resolves when the handler of each has seen the first list, or its informer is stopped. */
  async whenSynced(): Promise<void> {
    await Promise.all(Array.from(this.followed.values(), ({ registration }) => registration.whenSynced()));
  }

  /** For good; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.follow([]);
  }

  private start(resource: Resource<T>): Followed<T> {
    // What it shows is the object, or its metadata and more.
    const shared = this.options.shared?.find(resource) as SharedInformer<T> | undefined;
    const informer = shared ?? new SharedInformer(this.sources.source(resource, {}), this.options);
    const registration = informer.addHandler(this.handlerOf(resource));
    if (shared === undefined) informer.start();
    return { resource, informer, registration, isShared: shared !== undefined };
  }
}

/** Resolves when the handler is not called again. */
async function leave<T extends ApiObject>({ informer, registration, isShared }: Followed<T>): Promise<void> {
  if (isShared) registration.remove();
  else await informer.stop();
}

function keyOf(resource: Resource): string {
  return resourceKey(resource);
}
