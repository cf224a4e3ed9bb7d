import type { UserInfo } from '../../api/resource-definition.ts';

const NAME_PREFIX = 'system:node:';
const GROUP = 'system:nodes';

/** The node as which a user speaks: empty when its name says none, undefined when it is no node. */
export function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(NAME_PREFIX) && groups.includes(GROUP) ? name.slice(NAME_PREFIX.length) : undefined;
}
