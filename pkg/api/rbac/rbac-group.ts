import type { KindVersion } from '../resource-definition.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

type VersionHooks = Pick<KindVersion, 'setDefaults' | 'toHub' | 'fromHub'>;

/**
 * The versions of an RBAC kind. All have the same shape except the subjects of the alpha version, which is only read.
 */
export function rbacVersions(kind: string, hooks: VersionHooks = {}, alphaHooks: VersionHooks = {}): KindVersion[] {
  return [
    { groupVersion: `${RBAC_GROUP}/v1`, message: `rbac/v1.${kind}`, ...hooks },
    {
      groupVersion: `${RBAC_GROUP}/v1beta1`,
      message: `rbac/v1beta1.${kind}`,
      ...hooks,
      deprecation: { deprecatedIn: '1.17', removedIn: '1.22', replacement: `${RBAC_GROUP}/v1` },
    },
    { groupVersion: `${RBAC_GROUP}/v1alpha1`, message: `rbac/v1alpha1.${kind}`, served: false, ...alphaHooks },
  ];
}
