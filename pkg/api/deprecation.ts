/** A deprecated version of a kind. Releases are those of Kubernetes, `1.16`. */
export interface Deprecation {
  readonly deprecatedIn: string;
  /** The first release without it; absent where none is planned. */
  readonly removedIn?: string;
  /** Group and version to use instead, `apps/v1`. */
  readonly replacement?: string;
  /** Its kind, if it differs. */
  readonly replacementKind?: string;
}

/**
 * `extensions/v1beta1 Deployment is deprecated in v1.8+, unavailable in v1.16+; use apps/v1 Deployment`: the words that
 * clients know.
 */
export function deprecationWarning(
  { groupVersion, kind }: { readonly groupVersion: string; readonly kind: string },
  { deprecatedIn, removedIn, replacement, replacementKind = kind }: Deprecation,
): string {
  const until = removedIn === undefined ? '' : `, unavailable in v${removedIn}+`;
  const use = replacement === undefined ? '' : `; use ${replacement} ${replacementKind}`;
  return `${groupVersion} ${kind} is deprecated in v${deprecatedIn}+${until}${use}`;
}

/** The deprecation holds in a release of this minor number. */
export function isDeprecatedIn({ deprecatedIn }: Deprecation, minor: number): boolean {
  return Number(deprecatedIn.slice(deprecatedIn.indexOf('.') + 1)) <= minor;
}
