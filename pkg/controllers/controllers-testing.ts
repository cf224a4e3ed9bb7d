import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { Resource } from '../api/resource.ts';
import { CoreEventRecorder } from '../client/events/core-event-recorder.ts';
import type { ObjectName, Selection } from '../client/rest/client.ts';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import { parseFieldSelector } from '../apimachinery/selectors/field-selector.ts';
import { parseLabelSelector } from '../apimachinery/selectors/label-selector.ts';
import { MemoryClient } from '../client/memory-client-testing.ts';
import { resourceKey } from '../api/resource.ts';
import type { Controller } from './controller.ts';
import type { ControllerContext, FollowedObjects, Informers, ObjectHandler } from './controller-context.ts';

/** For tests: what controllers are made with, over objects in memory. Handlers are called as objects change. */
export class ControllersFixture {
  readonly clock = new FakeClock();
  readonly client = new MemoryClient();
  readonly errors: string[] = [];
  private readonly started: Controller[] = [];

  readonly context: ControllerContext = {
    client: this.client,
    informers: { informer: (resource, selection) => this.follow(resource, selection) } satisfies Informers,
    clock: this.clock,
    recorder: (component) =>
      new CoreEventRecorder({
        client: this.client,
        source: { component },
        clock: this.clock,
        onError: (error) => this.errors.push(String(error)),
      }),
    onError: (error, where) => this.errors.push(`${where}: ${error instanceof Error ? error.message : String(error)}`),
  };

  async start(controller: Controller): Promise<void> {
    this.started.push(controller);
    await controller.start();
    await this.clock.advance(0);
  }

  async stop(): Promise<void> {
    for (const controller of this.started) await controller.stop();
  }

  private follow<T extends ApiObject>(resource: Resource<T>, selection: Selection = {}): FollowedObjects<T> {
    const { cluster } = this.client;
    const prefix = `${resourceKey(resource)}/`;
    const selects = selectionMatcher(selection);
    const all = (): [string, T][] =>
      [...cluster.objects].filter(([key, object]) => key.startsWith(prefix) && selects(object)) as [string, T][];
    const keyOf = ({ namespace = '', name }: ObjectName): string =>
      `${prefix}${resource.namespaced ? `${namespace}/` : ''}${name}`;
    return {
      lister: {
        get: (name) => {
          const object = cluster.objects.get(keyOf(name)) as T | undefined;
          return object !== undefined && selects(object) ? object : undefined;
        },
        list: ({ namespace } = {}) =>
          all()
            .map(([, object]) => object)
            .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
      },
      addHandler: (handler: ObjectHandler<T>) => {
        const known = new Map(all());
        for (const object of known.values()) handler.onAdd?.(object, true);
        const watcher = (key: string, type: string, object: ApiObject): void => {
          if (!key.startsWith(prefix)) return;
          const old = known.get(key);
          const isGone = type === 'DELETED' || !selects(object);
          if (isGone) known.delete(key);
          else known.set(key, object as T);
          if (isGone) {
            if (old !== undefined) handler.onDelete?.(object as T);
          } else if (old === undefined) handler.onAdd?.(object as T, false);
          else handler.onUpdate?.(old, object as T);
        };
        cluster.watchers.add(watcher);
        return { whenSynced: () => Promise.resolve(true), remove: () => void cluster.watchers.delete(watcher) };
      },
    };
  }
}

function selectionMatcher({ namespace, labelSelector = '', fieldSelector = '' }: Selection): (o: ApiObject) => boolean {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    labels.matches(metadata.labels) &&
    (fields.exactValue('metadata.name') ?? metadata.name) === metadata.name;
}
