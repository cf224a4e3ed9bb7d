import type { AnyResource } from '../resource-definition.ts';
import { podDisruptionBudget } from './pod-disruption-budget/pod-disruption-budget.ts';

export const policyResources: AnyResource[] = [podDisruptionBudget];
