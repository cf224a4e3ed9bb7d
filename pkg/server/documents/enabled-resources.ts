import type { AnyResource } from '../../api/resource-definition.ts';
import { groupOf, versionOf } from '../../api/scheme.ts';
import { switchText } from '../../options/value-types.ts';
import { withdrawnVersions } from '../../options/withdrawn-versions.ts';

/** Whether a group version, or one resource of it, is served. */
export type EnabledResources = (groupVersion: string, resource?: string) => boolean;

/** Keys of `--runtime-config` for many versions, weakest first. */
const wholesale: readonly (readonly [key: string, covers: (groupVersion: string) => boolean])[] = [
  ['api/all', () => true],
  ['api/ga', (groupVersion) => stageOf(groupVersion) === 'ga'],
  ['api/beta', (groupVersion) => stageOf(groupVersion) === 'beta'],
  ['api/alpha', (groupVersion) => stageOf(groupVersion) === 'alpha'],
  ['api/legacy', (groupVersion) => groupOf(groupVersion) === ''],
];

/**
 * Reads `--runtime-config`: a version named itself counts more than one of the keys for many, a resource named itself
 * more than its version. `problems` are names that never were those of a version or resource, `key=value` with the
 * rule.
 */
export function parseRuntimeConfig(
  config: ReadonlyMap<string, string>,
  resources: readonly AnyResource[],
): { readonly enabled: EnabledResources; readonly problems: readonly (readonly [pair: string, rule: string])[] } {
  const versions = new Map<string, boolean>();
  const single = new Map<string, boolean>();
  const problems: (readonly [pair: string, rule: string])[] = [];
  const known = knownVersions(resources);
  const servedByDefault = new Set(
    resources.flatMap(({ versions: all }) =>
      all.filter(({ served }) => served !== false).map(({ groupVersion }) => groupVersion),
    ),
  );
  const on = (key: string): boolean => switchText(config.get(key) ?? '') !== 'false';
  for (const [key, value] of config) {
    if (wholesale.some(([name]) => name === key)) continue;
    const { groupVersion, resource } = splitKey(key, known);
    const found = known.get(groupVersion);
    if (found === undefined && withdrawnVersions.has(groupVersion)) continue;
    if (found === undefined) problems.push([`${key}=${value}`, `no such version: ${groupVersion}`]);
    else if (resource === undefined) versions.set(groupVersion, on(key));
    else if (found.has(resource)) single.set(`${groupVersion}/${resource}`, on(key));
    else problems.push([`${key}=${value}`, `no such resource in ${groupVersion}: ${resource}`]);
  }
  const versionEnabled = (groupVersion: string): boolean => {
    const named = versions.get(groupVersion);
    if (named !== undefined) return named;
    const many = wholesale.findLast(([key, covers]) => config.has(key) && covers(groupVersion));
    return many === undefined ? servedByDefault.has(groupVersion) : on(many[0]);
  };
  // Called for every request.
  const enabledVersions = new Set([...known.keys()].filter(versionEnabled));
  const singleEnabled = (groupVersion: string, resource: string | undefined): boolean | undefined =>
    single.size === 0 ? undefined : single.get(`${groupVersion}/${resource}`);
  return {
    problems,
    enabled: (groupVersion, resource) => singleEnabled(groupVersion, resource) ?? enabledVersions.has(groupVersion),
  };
}

/** The kinds with the enabled ones of their versions served. */
export function withEnabledVersions(
  resources: readonly AnyResource[],
  enabled: EnabledResources,
): readonly AnyResource[] {
  return resources.map((definition) => {
    const isServed = ({ groupVersion }: AnyResource['versions'][number]): boolean =>
      enabled(groupVersion, definition.resource);
    if (definition.versions.every((version) => (version.served !== false) === isServed(version))) return definition;
    return {
      ...definition,
      versions: definition.versions.map((version) => ({ ...version, served: isServed(version) })),
    };
  });
}

/** Names of the resources of every version that can be served. */
function knownVersions(resources: readonly AnyResource[]): ReadonlyMap<string, ReadonlySet<string>> {
  const known = new Map<string, Set<string>>();
  for (const definition of resources) {
    for (const { groupVersion } of definition.versions) {
      const names = known.get(groupVersion) ?? new Set();
      known.set(groupVersion, names.add(definition.resource));
    }
  }
  return known;
}

/** `apps/v1`, `apps/v1/deployments`, `v1`, `v1/pods`; `api/v1` and `core/v1` are other spellings of `v1`. */
function splitKey(
  key: string,
  known: ReadonlyMap<string, unknown>,
): { groupVersion: string; resource: string | undefined } {
  const parts = key.replace(/^(api|core)\/(?=v\d)/, '').split('/');
  if (known.has(parts[0]!)) return { groupVersion: parts[0]!, resource: parts[1] };
  return {
    groupVersion: parts.slice(0, 2).join('/'),
    resource: parts.length > 2 ? parts.slice(2).join('/') : undefined,
  };
}

function stageOf(groupVersion: string): 'ga' | 'beta' | 'alpha' {
  const version = versionOf(groupVersion);
  return /^v\d+$/.test(version) ? 'ga' : version.includes('beta') ? 'beta' : 'alpha';
}
