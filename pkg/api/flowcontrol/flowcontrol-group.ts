import type { KindVersion } from '../resource-definition.ts';

export const FLOWCONTROL_GROUP = 'flowcontrol.apiserver.k8s.io';
export const FLOWCONTROL_V1 = `${FLOWCONTROL_GROUP}/v1`;

/** Beta versions, with the releases of Kubernetes between which each was deprecated. */
const BETAS = { v1beta3: ['1.29', '1.32'], v1beta2: ['1.26', '1.29'], v1beta1: ['1.23', '1.26'] } as const;
export type BetaVersion = keyof typeof BETAS;

/** All versions of a kind of this group; `betaHooks` are those of one beta version. */
export function flowcontrolVersions(
  kind: string,
  setDefaults: KindVersion['setDefaults'],
  betaHooks: (version: BetaVersion) => Pick<KindVersion, 'setDefaults' | 'toHub' | 'fromHub'>,
): KindVersion[] {
  const versions: KindVersion[] = [{ groupVersion: FLOWCONTROL_V1, message: `flowcontrol/v1.${kind}`, setDefaults }];
  for (const [version, [since, until]] of Object.entries(BETAS)) {
    const groupVersion = `${FLOWCONTROL_GROUP}/${version}`;
    versions.push({
      groupVersion,
      message: `flowcontrol/${version}.${kind}`,
      ...betaHooks(version as BetaVersion),
      deprecation: { deprecatedIn: since, removedIn: until, replacement: FLOWCONTROL_V1 },
    });
  }
  return versions;
}
