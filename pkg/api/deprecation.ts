/**
 * `extensions/v1beta1 Deployment is deprecated in v1.8+, unavailable in v1.16+; use apps/v1 Deployment`: the words that
 * clients know.
 */
export function deprecation(
  version: string,
  kind: string,
  deprecatedIn: string,
  removedIn: string,
  replacement?: string,
): string {
  const use = replacement === undefined ? '' : `; use ${replacement} ${kind}`;
  return `${version} ${kind} is deprecated in v${deprecatedIn}+, unavailable in v${removedIn}+${use}`;
}
