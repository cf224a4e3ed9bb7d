import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Resource } from '../../api/resource.ts';
import type { Selection } from '../rest/client.ts';
import type { ObjectSources } from './object-source.ts';
import { SharedInformer, type InformerOptions } from './shared-informer.ts';

/** One informer for each resource and selection, shared by all its users. */
export class InformerFactory {
  private readonly sources: ObjectSources;
  private readonly options: InformerOptions;
  private readonly informers = new Map<string, SharedInformer<ApiObject>>();
  private stopped = false;

  constructor(sources: ObjectSources, options: InformerOptions) {
    this.sources = sources;
    this.options = options;
  }

  /** The informer, which the next `start` starts. */
  informer<T extends ApiObject>(resource: Resource<T>, selection: Selection = {}): SharedInformer<T> {
    const key = selectionKey(resource, selection);
    const known = this.informers.get(key) as SharedInformer<T> | undefined;
    if (known !== undefined) return known;
    if (this.stopped) throw new Error(`informer of ${resource.resource}: the factory is stopped`);
    const informer = new SharedInformer(this.sources.source(resource, selection), this.options);
    this.informers.set(key, informer as unknown as SharedInformer<ApiObject>);
    return informer;
  }

  /** The informer of all objects of a resource, whole and in this version, where one was asked for. */
  find({ group, version, resource, kind, namespaced }: Resource): SharedInformer<ApiObject> | undefined {
    return this.informers.get(selectionKey({ group, version, resource, kind, namespaced }, {}));
  }

  /** Starts the informers that are not started yet. */
  start(): void {
    for (const informer of this.informers.values()) informer.start();
  }

  /** Resolves true when every informer so far is synced, false when the factory is stopped before. */
  async waitForSync(): Promise<boolean> {
    const synced = await Promise.all(Array.from(this.informers.values(), (informer) => informer.whenSynced()));
    return synced.every(Boolean);
  }

  /** Stops every informer, for good; resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(Array.from(this.informers.values(), (informer) => informer.stop()));
  }
}

function selectionKey({ group, version, resource, metadataOnly = false }: Resource, selection: Selection): string {
  const { namespace = '', labelSelector = '', fieldSelector = '' } = selection;
  return JSON.stringify([group, version, resource, metadataOnly, namespace, labelSelector, fieldSelector]);
}
