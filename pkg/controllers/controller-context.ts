import type { Clock } from '../apimachinery/clock.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { Resource } from '../api/resource.ts';
import type { EventRecorder } from '../client/events/event-recorder.ts';
import type { ObjectSources } from '../client/informer/object-source.ts';
import type { SharedInformer } from '../client/informer/shared-informer.ts';
import type { Client, ObjectName, Selection } from '../client/rest/client.ts';
import type { QueueMetrics } from '../client/workqueue/queue-observer.ts';
import type { ControllerMetrics } from './controller-metrics.ts';

/** What a controller needs of an informer. Objects are shared and must not be changed. */
export interface FollowedObjects<T extends ApiObject> {
  readonly lister: {
    get(name: ObjectName): T | undefined;
    list(query?: { readonly namespace?: string }): T[];
    /** `namespace/name` of all, without reading the objects. */
    keys(): Iterable<string>;
    /** Objects that an index function gives a value for; throws where there is no such index. */
    listByIndex(index: string, value: string): T[];
  };
  /** No change up to this revision is missing in the lister. */
  readonly lastSyncResourceVersion: string;
  /** Makes objects findable by `lister.listByIndex`. A name stands for one function, for all controllers. */
  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void;
  addHandler(handler: ObjectHandler<T>): HandlerPlace;
}

export interface ObjectHandler<T extends ApiObject> {
  onAdd?(object: T, isInInitialList: boolean): void;
  onUpdate?(old: T, current: T): void;
  onDelete?(lastKnown: T): void;
}

export interface HandlerPlace {
  /** Resolves true when the handler has seen what the first list had, false when that will not come. */
  whenSynced(): Promise<boolean>;
  remove(): void;
}

/**
 * Informers by resource and selection, shared by all controllers. A controller asks for its own when it is made; they
 * are started before it is.
 */
export interface Informers {
  informer<T extends ApiObject>(resource: Resource<T>, selection?: Selection): FollowedObjects<T>;
  /** For an `InformerSet`: the informer of whole objects that a controller has asked for already. */
  find(resource: Resource): SharedInformer<ApiObject> | undefined;
}

/** What every controller is made with. */
export interface ControllerContext {
  /** Acts as the account of this controller, where each has its own. */
  readonly client: Client;
  readonly informers: Informers;
  /** For an `InformerSet` of its own: resources that come and go while it runs. */
  readonly sources: ObjectSources;
  readonly clock: Clock;
  readonly queueMetrics?: QueueMetrics;
  /** For what the controller itself measures. */
  readonly metrics: ControllerMetrics;
  /** Records Events as `component`, such as `deployment-controller`; one recorder for each. */
  readonly recorder: (component: string) => EventRecorder;
  /** Failures that the controller goes on after; `where` names the controller and the key. */
  readonly onError: (error: unknown, where: string) => void;
}
