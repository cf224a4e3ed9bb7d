import { tokenOf } from '../resource-definition.ts';
import { podDisruptionBudget } from './pod-disruption-budget/pod-disruption-budget.ts';
import { podSecurityPolicy } from './pod-security-policy/pod-security-policy.ts';

export const podDisruptionBudgets = tokenOf(podDisruptionBudget);
export const podSecurityPolicies = tokenOf(podSecurityPolicy);
