import type { Authorizer } from '../authorizer.ts';

/** Mode AlwaysDeny: nobody may do anything, unless another mode says so. */
export const alwaysDeny: Authorizer = {
  name: 'AlwaysDeny',
  authorize: () => ({ decision: 'no-opinion', reason: 'Everything is forbidden.' }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
};
