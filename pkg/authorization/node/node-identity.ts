import type { UserInfo } from '../../api/resource-definition.ts';

const NAME_PREFIX = 'system:node:';
const GROUP = 'system:nodes';

/** The node of a user: empty when its name is invalid, undefined when it is no node. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(NAME_PREFIX) && groups.includes(GROUP) ? name.slice(NAME_PREFIX.length) : undefined;
}
