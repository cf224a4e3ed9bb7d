/**
 * The `Warning` that clients get for requests in an old version of a kind. `since` and `until` are the releases of Kubernetes in which the
 * version became deprecated and went from stock servers, `1.19`.
 */
export function deprecationText(groupVersion: string, kind: string, since: string, until: string, replacement: string): string {
  return `${groupVersion} ${kind} is deprecated in v${since}+, unavailable in v${until}+; use ${replacement} ${kind}`;
}
