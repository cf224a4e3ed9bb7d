import type { ResourceRegistry } from '../../api/resource-registry.ts';
import { compare, type ServedResource, servedResources } from './served-resources.ts';

/** Runs after a change of what is served in some groups. */
export type CatalogListener = (groups: ReadonlySet<string>) => void;

/** What a server serves at present, as plain data. After a change only the groups concerned are rebuilt. */
export class ServedCatalog {
  private list: readonly ServedResource[];
  private groupNames!: ReadonlySet<string>;
  private versionNames!: ReadonlySet<string>;
  private listeners: readonly CatalogListener[] = [];

  constructor(registry: ResourceRegistry) {
    this.list = servedResources(registry);
    this.nameGroups();
    registry.listen(({ groups }) => {
      const others = this.list.filter(({ group }) => !groups.has(group));
      this.list = [...others, ...servedResources(registry, groups)].sort(
        (a, b) => compare(a.groupVersion, b.groupVersion) || compare(a.resource, b.resource),
      );
      this.nameGroups();
      for (const listener of this.listeners) listener(groups);
    });
  }

  /** Sorted by group version and name. */
  get resources(): readonly ServedResource[] {
    return this.list;
  }

  /** Empty for the core group. */
  get groups(): ReadonlySet<string> {
    return this.groupNames;
  }

  /** `apps/v1`, `v1`. */
  get groupVersions(): ReadonlySet<string> {
    return this.versionNames;
  }

  listen(listener: CatalogListener): void {
    this.listeners = [...this.listeners, listener];
  }

  private nameGroups(): void {
    this.groupNames = new Set(this.list.map(({ group }) => group));
    this.versionNames = new Set(this.list.map(({ groupVersion }) => groupVersion));
  }
}
