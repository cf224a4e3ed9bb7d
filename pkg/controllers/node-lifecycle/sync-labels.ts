import type { Node } from '../../generated/types/core-v1.ts';

/** Labels of today's agents, and the names under which earlier releases read them. */
const olderNames: readonly (readonly [current: string, older: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
];

/** Labels that a node misses under their older names; undefined: none. */
export function missingLabels({ metadata: { labels = {} } }: Node): Record<string, string> | undefined {
  const missing = olderNames.flatMap(([current, older]): [string, string][] => {
    const value = labels[current];
    return value === undefined || labels[older] === value ? [] : [[older, value]];
  });
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
