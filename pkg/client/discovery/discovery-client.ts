import { type Resource, resourceToken } from '../../api/resource.ts';
import type { APIGroup, APIGroupList, APIResourceList } from '../../generated/types/meta-v1.ts';
import type { CallOptions, Client } from '../rest/client.ts';

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

/** The group from which releases up to 1.21 moved deployments, ingresses and others to groups of their own. */
const MOVED_FROM = 'extensions';
/** Documents of group versions that are asked for at once. */
const CALLS_AT_ONCE = 8;

/**
 * Reads which resources a server has. A group version that does not answer, as that of a broken aggregated server, is
 * among the failures; the others are found all the same. Rejects where the list of groups itself cannot be read.
 */
export async function discoverResources(client: Client, options: CallOptions = {}): Promise<DiscoveredResources> {
  const { groups } = await client.getPath<APIGroupList>('/apis', options);
  const versions = [{ path: '/api/v1', groupVersion: 'v1' }, ...(groups ?? []).flatMap(pathsOf)];
  const failures = new Map<string, unknown>();
  const found = new Map<string, DiscoveredResource[]>();
  const waiting = versions.values();
  const read = async (): Promise<void> => {
    for (const { path, groupVersion } of waiting) {
      try {
        found.set(groupVersion, resourcesOf(groupVersion, await client.getPath<APIResourceList>(path, options)));
      } catch (error) {
        options.signal?.throwIfAborted();
        failures.set(groupVersion, error);
      }
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, read));
  const inOrder = versions.flatMap(({ groupVersion }) => found.get(groupVersion) ?? []);
  return { resources: withPreference(inOrder), failures };
}

/** The preferred version first. */
function pathsOf({ versions, preferredVersion }: APIGroup): { path: string; groupVersion: string }[] {
  const names = (versions ?? []).map(({ groupVersion }) => groupVersion);
  const preferred = preferredVersion?.groupVersion ?? '';
  const ordered = names.includes(preferred) ? [preferred, ...names.filter((name) => name !== preferred)] : names;
  return ordered.map((groupVersion) => ({ path: `/apis/${groupVersion}`, groupVersion }));
}

function resourcesOf(groupVersion: string, { resources }: APIResourceList): DiscoveredResource[] {
  const all = resources ?? [];
  return all
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs, singularName, shortNames = [], categories = [] }) => ({
      resource: resourceToken(groupVersion, name, kind, namespaced),
      verbs: verbs ?? [],
      singular: singularName,
      shortNames,
      categories,
      subresources: all.flatMap((other) =>
        other.name.startsWith(`${name}/`) ? other.name.slice(name.length + 1) : [],
      ),
      isPreferred: false,
      isMoved: false,
    }));
}

function withPreference(resources: readonly DiscoveredResource[]): DiscoveredResource[] {
  const seen = new Set<string>();
  const elsewhere = new Set(resources.filter(({ resource: { group } }) => group !== MOVED_FROM).map(nameOf));
  return resources.map((found) => {
    const { group } = found.resource;
    const key = `${group}/${found.resource.resource}`;
    const isPreferred = !seen.has(key);
    seen.add(key);
    return { ...found, isPreferred, isMoved: group === MOVED_FROM && elsewhere.has(nameOf(found)) };
  });
}

function nameOf({ resource: { resource, kind } }: DiscoveredResource): string {
  return `${resource}/${kind}`;
}
