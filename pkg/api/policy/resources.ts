import type { AnyResource } from '../resource-definition.ts';
import { podDisruptionBudget } from './pod-disruption-budget/pod-disruption-budget.ts';
import { podSecurityPolicy } from './pod-security-policy/pod-security-policy.ts';

/** The policy group. Pod security policies are in extensions too. */
export const policyResources: AnyResource[] = [podDisruptionBudget, podSecurityPolicy];
