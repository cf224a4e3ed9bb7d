/** How the fields of a role's rules are read. */

export const ALL = '*';

/** `pods/log`, or `pods` where there is no subresource. */
export function resourcePath(resource: string, subresource: string): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** A URL of a rule: a path, or a prefix with `*` at its end. */
export function urlMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  let end = pattern.length;
  while (pattern[end - 1] === ALL) end--;
  return end < pattern.length && path.startsWith(pattern.slice(0, end));
}
