import type { UserInfo } from '../api/resource-definition.ts';
import type { Authorizer } from './authorizer.ts';

const GROUP = 'system:masters';

/** Whether a user may do everything, in any mode. */
export function isMaster(user: UserInfo): boolean {
  return user.groups.includes(GROUP);
}

/**
 * Runs before all modes, so that no policy locks the administrators out. Its rules are not listed, as in stock servers.
 */
export const systemMasters: Authorizer = {
  name: 'system:masters',
  authorize: ({ user }) => ({ decision: isMaster(user) ? 'allow' : 'no-opinion', reason: '' }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
};
