import type { Resource } from '../../api/resource.ts';

/** A resource as the server describes it. */
export interface DiscoveredResource {
  readonly resource: Resource;
  readonly verbs: readonly string[];
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Names below an object: `status`, `scale`. */
  readonly subresources: readonly string[];
  /** It is in the version that its group prefers, or in the first one that has it. */
  readonly isPreferred: boolean;
  /** Another group serves the same objects, which were moved there from the group `extensions`. */
  readonly isMoved: boolean;
}

/** What a server has at one time. */
export interface DiscoveredResources {
  readonly resources: readonly DiscoveredResource[];
  /** By group and version, such as `metrics.k8s.io/v1`: those that did not answer, and why. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** One resource of a group version, before it is compared with those of others. */
export type FoundResource = Omit<DiscoveredResource, 'isPreferred' | 'isMoved'>;

/** Groups in the server's order, the versions of each in order of preference. */
export interface FoundGroups {
  readonly resources: readonly FoundResource[];
  readonly failures: ReadonlyMap<string, unknown>;
}

/** The group from which releases up to 1.21 moved deployments, ingresses and others to groups of their own. */
const MOVED_FROM = 'extensions';

/** All groups together, the core group first. */
export function discoveredOf(...parts: readonly FoundGroups[]): DiscoveredResources {
  const resources = parts.flatMap((part) => part.resources);
  const seen = new Set<string>();
  const elsewhere = new Set(resources.filter(({ resource: { group } }) => group !== MOVED_FROM).map(nameOf));
  return {
    resources: resources.map((found) => {
      const { group } = found.resource;
      const key = `${group}/${found.resource.resource}`;
      const isPreferred = !seen.has(key);
      seen.add(key);
      return { ...found, isPreferred, isMoved: group === MOVED_FROM && elsewhere.has(nameOf(found)) };
    }),
    failures: new Map(parts.flatMap(({ failures }) => [...failures])),
  };
}

function nameOf({ resource: { resource, kind } }: FoundResource): string {
  return `${resource}/${kind}`;
}
