import type { AnyResource } from './resource-definition.ts';

/** A group of resources, and where clients find it among the others. */
export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /**
   * Groups of higher priority are listed first, equal ones by name. It decides which resource clients mean by a bare
   * name: `deployments` is that of `apps`, not of `extensions`.
   */
  readonly priority: number;
  /**
   * Versions of higher priority are listed first, equal ones in the order of Kubernetes version names: clients prefer
   * the first. Those that are not named have what their stability gives them.
   */
  readonly versionPriorities?: Readonly<Record<string, number>>;
  /** Those defined here: a definition may have versions in other groups besides. */
  readonly resources: readonly AnyResource[];
}

/** Places of a group and of one of its versions, as APIService objects say them. */
export interface VersionPriority {
  readonly group: number;
  readonly version: number;
}

/** By stability: alpha, beta, stable. Other names are not more stable than alpha. */
const STABILITY_PRIORITIES = [1, 9, 15] as const;

export function priorityIn({ priority, versionPriorities = {} }: ApiGroup, version: string): VersionPriority {
  const own = Object.hasOwn(versionPriorities, version) ? versionPriorities[version] : undefined;
  return { group: priority, version: own ?? STABILITY_PRIORITIES[parseVersion(version)?.stability ?? 0] };
}

/** A version by Kubernetes rules; `stability` is 2 for stable ones, 1 for beta, 0 for alpha. */
export interface VersionParts {
  readonly stability: 0 | 1 | 2;
  readonly major: number;
  readonly minor: number;
}

/** Reads `v1`, `v2beta3`; undefined for other names. */
export function parseVersion(name: string): VersionParts | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name);
  if (match === null) return undefined;
  return {
    stability: match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0,
    major: Number(match[1]),
    minor: Number(match[3] ?? 0),
  };
}
