import type { UserInfo } from '../api/resource-definition.ts';
import type { Authorizer } from './authorizer.ts';

const GROUP = 'system:masters';

/** Whether somebody may do everything, whatever the modes say. */
export function isMaster(user: UserInfo): boolean {
  return user.groups.includes(GROUP);
}

/**
 * Asked before all modes, so that no policy locks the administrators out. Its rules are not listed: those of stock
 * servers are neither.
 */
export const systemMasters: Authorizer = {
  name: 'system:masters',
  authorize: ({ user }) => ({ decision: isMaster(user) ? 'allow' : 'no-opinion', reason: '' }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
};
