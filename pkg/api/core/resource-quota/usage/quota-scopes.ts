import type { ApiObject } from '../../../../apimachinery/meta/object.ts';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../../generated/types/core-v1.ts';
import type { QuotaEvaluator } from './evaluator.ts';

/** The scopes of a quota, all of which an object has to be in. */
export function scopesOf({ spec }: Pick<ResourceQuota, 'spec'>): ScopedResourceSelectorRequirement[] {
  return [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
}

export function isInScopes(
  scopes: readonly ScopedResourceSelectorRequirement[],
  evaluator: QuotaEvaluator,
  object: ApiObject,
): boolean {
  return scopes.every((scope) => evaluator.inScope?.(object, scope) === true);
}

/**
 * Whether an object that names `name`, such as a priority class, is in a scope that selects by names; empty where it
 * names none.
 */
export function isSelected(name: string, { operator, values = [] }: ScopedResourceSelectorRequirement): boolean {
  switch (operator) {
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    case 'In':
      return name !== '' && values.includes(name);
    case 'NotIn':
      return name === '' || !values.includes(name);
    default:
      return false;
  }
}
