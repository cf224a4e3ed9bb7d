import type { AnyResource } from '../api/resource-definition.ts';
import { groupOf } from '../api/scheme.ts';
import { withdrawnVersions } from '../options/withdrawn-versions.ts';

/**
 * Applies `--storage-versions`: `group/version` stores the resources of a group in that version,
 * `group1=group2/version` those of group1 in a version of group2 that they have too. Resources without that version
 * keep theirs, and versions of which nothing is stored change nothing. `problems` are items that never matched a
 * resource.
 */
export function withStorageVersions(
  resources: readonly AnyResource[],
  items: readonly string[],
): {
  readonly resources: readonly AnyResource[];
  readonly problems: readonly (readonly [item: string, rule: string])[];
} {
  const chosen = new Map<AnyResource, string>();
  const problems: (readonly [item: string, rule: string])[] = [];
  for (const item of items) {
    const { group, groupVersion } = parseItem(item);
    const stored = resources.filter((d) => d.group === group && d.virtual !== true);
    const fitting = stored.filter((d) => d.versions.some((v) => v.groupVersion === groupVersion));
    const isKnown =
      withdrawnVersions.has(groupVersion) ||
      resources.some((d) => d.versions.some((v) => v.groupVersion === groupVersion));
    if (fitting.length === 0 && isKnown && groupOf(groupVersion) === group) continue;
    if (stored.length === 0) problems.push([item, `no resource is stored in the group ${group}`]);
    else if (fitting.length === 0)
      problems.push([item, `no resource of the group ${group || 'core'} has the version ${groupVersion}`]);
    for (const definition of fitting) chosen.set(definition, groupVersion);
  }
  return { problems, resources: resources.map((d) => (chosen.has(d) ? { ...d, storageVersion: chosen.get(d)! } : d)) };
}

function parseItem(item: string): { group: string; groupVersion: string } {
  const sign = item.indexOf('=');
  const groupVersion = item.slice(sign + 1);
  const slash = groupVersion.indexOf('/');
  return { group: sign >= 0 ? item.slice(0, sign) : slash < 0 ? '' : groupVersion.slice(0, slash), groupVersion };
}
