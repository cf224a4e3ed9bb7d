import type { UserInfo } from '../../api/resource-definition.ts';

const PREFIX = 'system:node:';
const GROUP = 'system:nodes';

/** The node that a user is; undefined for everybody else. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(PREFIX) && groups.includes(GROUP) ? name.slice(PREFIX.length) : undefined;
}
