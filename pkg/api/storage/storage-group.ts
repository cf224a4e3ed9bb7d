import type { KindVersion } from '../resource-definition.ts';

export const STORAGE_GROUP = 'storage.k8s.io';
export const STORAGE_V1 = `${STORAGE_GROUP}/v1`;

/** The versions of a kind of this group, all of the same shape: the alpha version is only read. */
export function storageVersions(
  kind: string,
  {
    beta,
    alpha = false,
    setDefaults,
  }: {
    /** Releases of Kubernetes between which the beta version was deprecated; undefined while it is not. */
    beta?: readonly [since: string, until: string];
    alpha?: boolean;
    setDefaults?: KindVersion['setDefaults'];
  },
): KindVersion[] {
  const betaVersion = `${STORAGE_GROUP}/v1beta1`;
  const versions: KindVersion[] = [
    { groupVersion: STORAGE_V1, message: `storage/v1.${kind}`, setDefaults },
    {
      groupVersion: betaVersion,
      message: `storage/v1beta1.${kind}`,
      setDefaults,
      ...(beta !== undefined && {
        deprecation: { deprecatedIn: beta[0], removedIn: beta[1], replacement: STORAGE_V1 },
      }),
    },
  ];
  if (alpha)
    versions.push({
      groupVersion: `${STORAGE_GROUP}/v1alpha1`,
      message: `storage/v1alpha1.${kind}`,
      served: false,
      setDefaults,
    });
  return versions;
}
