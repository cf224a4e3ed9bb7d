import type { AnyResource } from '../api/resource-definition.ts';
import type { ResourceRegistry } from '../api/resource-registry.ts';
import { resourceKey } from '../api/resource.ts';
import { genericServerResponse, resourceExpired } from '../apimachinery/errors/status-error.ts';
import type { ResourceStores } from './resource-stores.ts';
import type { WatchSessions } from './watches/watch-sessions.ts';

/**
 * Changes what a running server serves: stores are open before a resource is found and closed after it is not. One
 * change at a time, in the order of the calls (docs/decisions/0017-resource-registry.md).
 */
export class ResourceInstaller {
  private readonly registry: ResourceRegistry;
  private readonly stores: ResourceStores;
  private readonly watches: WatchSessions;
  private last: Promise<void> = Promise.resolve();

  constructor(registry: ResourceRegistry, stores: ResourceStores, watches: WatchSessions) {
    this.registry = registry;
    this.stores = stores;
    this.watches = watches;
  }

  /** Serves one more resource from when this resolves. Rejects, and serves nothing new, where a name is taken. */
  add(definition: AnyResource): Promise<void> {
    const open = (): Promise<void> => this.stores.open(definition, () => this.registry.add(definition));
    return this.inTurn(() => this.registry.opening(definition, open));
  }

  /** Replaces a resource by another form; its watches end with 410. Its place in the store must stay. */
  replace(previous: AnyResource, definition: AnyResource): Promise<void> {
    return this.inTurn(async () => {
      if (resourceKey(previous) !== resourceKey(definition) || previous.storagePath !== definition.storagePath)
        throw new Error(`${definition.resource}: another name or place in the store makes another resource`);
      const { cache } = this.stores.of(resourceKey(previous));
      await this.stores.open(definition, () => {
        this.registry.replace(previous, definition);
        return this.watches.endOf(cache, resourceExpired('the resource is served in another form').status);
      });
    });
  }

  /** Stops serving a resource; its watches end with 404. Its objects stay in the store. */
  remove(definition: AnyResource): Promise<void> {
    return this.inTurn(async () => {
      const { cache } = this.stores.of(resourceKey(definition));
      this.registry.remove(definition);
      await this.watches.endOf(cache, genericServerResponse(404).status);
      await this.stores.close(definition);
    });
  }

  private inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.last.then(change);
    // The caller sees its failure; the next change does not depend on it.
    this.last = done.catch(() => undefined);
    return done;
  }
}
