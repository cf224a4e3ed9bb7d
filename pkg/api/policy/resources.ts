import type { ApiGroup } from '../api-group.ts';
import { podDisruptionBudget } from './pod-disruption-budget/pod-disruption-budget.ts';
import { podSecurityPolicy } from './pod-security-policy/pod-security-policy.ts';

/** The policy group. Pod security policies are in extensions too. */
export const policyGroup: ApiGroup = {
  name: 'policy',
  priority: 17100,
  resources: [podDisruptionBudget, podSecurityPolicy],
};
