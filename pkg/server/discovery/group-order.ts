import { parseVersion } from '../../api/api-group.ts';
import { compare } from '../documents/served-resources.ts';

/** The order in which groups and versions are listed: by priority, then groups by name and versions as versions. */

export function compareGroups(a: PlacedGroup, b: PlacedGroup): number {
  return b.priority - a.priority || compare(a.name, b.name);
}

interface PlacedGroup {
  readonly name: string;
  readonly priority: number;
}

export function compareVersions(a: PlacedVersion, b: PlacedVersion): number {
  return b.priority - a.priority || compareVersionNames(a.version, b.version);
}

interface PlacedVersion {
  readonly version: string;
  readonly priority: number;
}

/** `v2` before `v1` before `v1beta2` before `v1beta1` before `v1alpha1` before any other name. */
function compareVersionNames(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) return left === right ? compare(a, b) : left === undefined ? 1 : -1;
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}
