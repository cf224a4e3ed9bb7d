import { resourceToken } from '../../api/resource.ts';
import type { APIGroup, APIGroupList, APIResourceList } from '../../generated/types/meta-v1.ts';
import type { CallOptions, Client } from '../rest/client.ts';
import type { FoundGroups, FoundResource } from './discovered-resource.ts';

interface GroupVersionPath {
  readonly path: string;
  readonly groupVersion: string;
}

/** `APIResourceList`s that are asked for at once. */
const CALLS_AT_ONCE = 8;

export const coreVersion: GroupVersionPath = { path: '/api/v1', groupVersion: 'v1' };

/** The versions of all groups, the preferred one of each first. */
export function versionsOf({ groups }: APIGroupList): GroupVersionPath[] {
  return (groups ?? []).flatMap(pathsOf);
}

/** Reads one `APIResourceList` for each version. One that does not answer is among the failures. */
export async function readGroupByGroup(
  client: Client,
  versions: readonly GroupVersionPath[],
  options: CallOptions,
): Promise<FoundGroups> {
  const failures = new Map<string, unknown>();
  const found = new Map<string, FoundResource[]>();
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
  return { resources: versions.flatMap(({ groupVersion }) => found.get(groupVersion) ?? []), failures };
}

function pathsOf({ versions, preferredVersion }: APIGroup): GroupVersionPath[] {
  const names = (versions ?? []).map(({ groupVersion }) => groupVersion);
  const preferred = preferredVersion?.groupVersion ?? '';
  const ordered = names.includes(preferred) ? [preferred, ...names.filter((name) => name !== preferred)] : names;
  return ordered.map((groupVersion) => ({ path: `/apis/${groupVersion}`, groupVersion }));
}

function resourcesOf(groupVersion: string, { resources }: APIResourceList): FoundResource[] {
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
    }));
}
