import type { AnyResource } from './resource-definition.ts';
import { groupOf, Scheme } from './scheme.ts';

/** An added, replaced or removed definition; one of the two is absent where there is no such side. */
export interface ResourceChange {
  readonly definition?: AnyResource;
  readonly previous?: AnyResource;
  /** Groups of all versions of either definition; the core group is the empty name. */
  readonly groups: ReadonlySet<string>;
}

/** Runs after the change, in the same turn; must not throw and must not change the registry. */
export type ResourceListener = (change: ResourceChange) => void;

/**
 * Every resource of one server, changing while it runs (docs/decisions/0017-resource-registry.md). Owns only the
 * indexes: stores and caches are opened before a resource is added and closed after it is removed, by
 * `pkg/server/resource-installer.ts`.
 */
export class ResourceRegistry extends Scheme {
  private listeners: readonly ResourceListener[] = [];

  /**
   * Runs what opens the store of a definition and adds it. Meanwhile the definition is found by its path in the store,
   * and by nothing else: its values must be decrypted before it is served. Throws where the path is taken.
   */
  async opening(definition: AnyResource, open: () => Promise<void>): Promise<void> {
    const release = this.claimPath(definition);
    try {
      await open();
    } finally {
      release();
    }
  }

  /** Throws where a name, kind or path in the store is taken; nothing has changed then. */
  add(definition: AnyResource): void {
    this.insert(definition);
    this.notify({ definition, groups: groupsOfVersions(definition) });
  }

  /** Replaces `previous`, which must be here, by `definition`. Throws as `add` does. */
  replace(previous: AnyResource, definition: AnyResource): void {
    this.assertPresent(previous);
    this.delete(previous);
    try {
      this.insert(definition);
    } catch (error) {
      this.insert(previous);
      throw error;
    }
    this.notify({ definition, previous, groups: groupsOfVersions(definition, previous) });
  }

  remove(previous: AnyResource): void {
    this.assertPresent(previous);
    this.delete(previous);
    this.notify({ previous, groups: groupsOfVersions(previous) });
  }

  /** Returns a function that removes the listener. */
  listen(listener: ResourceListener): () => void {
    this.listeners = [...this.listeners, listener];
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    };
  }

  private assertPresent(definition: AnyResource): void {
    if (this.at(definition, definition.hub) === undefined) throw new Error(`${definition.resource} is not registered`);
  }

  private notify(change: ResourceChange): void {
    for (const listener of this.listeners) listener(change);
  }
}

function groupsOfVersions(...definitions: readonly AnyResource[]): ReadonlySet<string> {
  return new Set(definitions.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupOf(groupVersion))));
}
