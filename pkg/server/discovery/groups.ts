import type { APIGroup, APIGroupList, APIVersions } from '../../generated/types/meta-v1.ts';
import type { ServedResource } from '../documents/served-resources.ts';
import { compareGroups, compareVersions } from './group-order.ts';

/** A group with its versions in order of preference, and their resources sorted by name. */
export interface ServedGroup {
  readonly name: string;
  readonly priority: number;
  readonly versions: readonly {
    readonly groupVersion: string;
    readonly version: string;
    readonly priority: number;
    readonly resources: readonly ServedResource[];
  }[];
}

/** Groups in the order in which they are listed; the core group is the one without name. */
export function groupsOf(resources: readonly ServedResource[]): ServedGroup[] {
  const byGroup = new Map<string, Map<string, ServedResource[]>>();
  for (const resource of resources) {
    let versions = byGroup.get(resource.group);
    if (versions === undefined) byGroup.set(resource.group, (versions = new Map()));
    const list = versions.get(resource.version);
    if (list === undefined) versions.set(resource.version, [resource]);
    else list.push(resource);
  }
  return [...byGroup]
    .map(([name, versions]) => ({
      name,
      priority: [...versions.values()][0]![0]!.priority.group,
      versions: [...versions]
        .map(([version, list]) => ({
          groupVersion: list[0]!.groupVersion,
          version,
          priority: list[0]!.priority.version,
          resources: list,
        }))
        .sort(compareVersions),
    }))
    .sort(compareGroups);
}

/** The body of `/api`. `serverAddress` is host and port at which all clients reach the server. */
export function apiVersions(core: ServedGroup | undefined, serverAddress: string): APIVersions {
  return {
    kind: 'APIVersions',
    versions: (core?.versions ?? []).map((v) => v.version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** The body of `/apis/<group>`. Groups of the first days answer without apiVersion. */
export function apiGroup(group: ServedGroup): APIGroup {
  return { kind: 'APIGroup', ...(isUnversioned(group.name) ? {} : { apiVersion: 'v1' }), ...describe(group) };
}

/** The body of `/apis`. */
export function apiGroupList(groups: readonly ServedGroup[]): APIGroupList {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter((g) => g.name !== '').map(describe) };
}

function describe(group: ServedGroup): APIGroup {
  const versions = group.versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name: group.name, versions, preferredVersion: versions[0]! };
}

/** Clients older than the `apiVersion` of discovery documents read these groups. */
export function isUnversioned(group: string): boolean {
  return group === '' || group === 'extensions';
}
