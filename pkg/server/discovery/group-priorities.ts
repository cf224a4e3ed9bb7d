import { compare } from '../documents/served-resources.ts';

/**
 * The order in which groups and versions are listed. It decides which resource clients mean by a bare name
 * (`deployments` is that of `apps`, not of `extensions`) and which version they prefer.
 */

interface Priority {
  /** Higher groups come first; equal ones by name. */
  readonly group: number;
  /**
   * Higher versions come first, equal ones in the order of Kubernetes version names; those that are not named have what
   * their stability gives them.
   */
  readonly versions: Readonly<Record<string, number>>;
}

const STABLE = 15;
const BETA = 9;
const ALPHA = 1;

const priorities: Readonly<Record<string, Priority>> = {
  'apiregistration.k8s.io': { group: 20000, versions: {} },
  '': { group: 18000, versions: { v1: 1 } },
  apps: { group: 17800, versions: { v1beta1: 1 } },
  'events.k8s.io': { group: 17750, versions: { v1beta1: 5 } },
  'authentication.k8s.io': { group: 17700, versions: {} },
  'authorization.k8s.io': { group: 17600, versions: {} },
  autoscaling: { group: 17500, versions: { v2: 30 } },
  batch: { group: 17400, versions: { v2alpha1: 8 } },
  'certificates.k8s.io': { group: 17300, versions: {} },
  'networking.k8s.io': { group: 17200, versions: {} },
  extensions: { group: 17150, versions: { v1beta1: 1 } },
  policy: { group: 17100, versions: {} },
  'rbac.authorization.k8s.io': { group: 17000, versions: { v1beta1: 12, v1alpha1: 9 } },
  'settings.k8s.io': { group: 16900, versions: { v1alpha1: 9 } },
  'storage.k8s.io': { group: 16800, versions: {} },
  'admissionregistration.k8s.io': { group: 16700, versions: { v1beta1: 12, v1alpha1: 9 } },
  'apiextensions.k8s.io': { group: 16700, versions: {} },
  'scheduling.k8s.io': { group: 16600, versions: { v1beta1: 12, v1alpha1: 9 } },
  'coordination.k8s.io': { group: 16500, versions: {} },
  'node.k8s.io': { group: 16300, versions: {} },
  'discovery.k8s.io': { group: 16200, versions: { v1beta1: 12 } },
  'resource.k8s.io': { group: 16200, versions: { v1: 21 } },
  'flowcontrol.apiserver.k8s.io': { group: 16100, versions: { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12 } },
};

/** Groups of custom resources. */
const unknownGroup = 1000;

const priorityOf = (group: string): Priority | undefined =>
  Object.hasOwn(priorities, group) ? priorities[group] : undefined;

export function compareGroups(a: string, b: string): number {
  return (priorityOf(b)?.group ?? unknownGroup) - (priorityOf(a)?.group ?? unknownGroup) || compare(a, b);
}

export function compareVersions(group: string, a: string, b: string): number {
  return versionPriority(group, b) - versionPriority(group, a) || compareVersionNames(a, b);
}

/** As APIService objects say it; undefined for groups that are not compiled in. */
export function priorityOfVersion(
  group: string,
  version: string,
): { readonly group: number; readonly version: number } | undefined {
  const priority = priorityOf(group);
  return priority === undefined ? undefined : { group: priority.group, version: versionPriority(group, version) };
}

function versionPriority(group: string, version: string): number {
  const versions = priorityOf(group)?.versions;
  // Versions of custom resources go by their names alone.
  if (versions === undefined) return 0;
  return Object.hasOwn(versions, version)
    ? versions[version]!
    : [ALPHA, BETA, STABLE][parseVersion(version)?.stability ?? 0]!;
}

/** `v2` before `v1` before `v1beta2` before `v1beta1` before `v1alpha1` before any other name. */
function compareVersionNames(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) return left === right ? compare(a, b) : left === undefined ? 1 : -1;
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function parseVersion(name: string): { stability: number; major: number; minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name);
  if (match === null) return undefined;
  return {
    stability: match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0,
    major: Number(match[1]),
    minor: Number(match[3] ?? 0),
  };
}
