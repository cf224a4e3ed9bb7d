import { compare, type ServedResource } from '../documents/served-resources.ts';

/** Names of all documents of v3, sorted. */
export function v3DocumentNames(resources: readonly ServedResource[]): string[] {
  const names = new Set(['api', 'apis', 'version']);
  for (const { group, groupVersion } of resources) {
    names.add(group === '' ? `api/${groupVersion}` : `apis/${groupVersion}`);
    if (group !== '') names.add(`apis/${group}`);
  }
  return [...names].sort(compare);
}
