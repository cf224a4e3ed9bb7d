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
