import { areSameAmounts } from '../../api/core/resource-quota/usage/amounts.ts';
import type { QuotaEvaluator } from '../../api/core/resource-quota/usage/evaluator.ts';
import { isInScopes, scopesOf } from '../../api/core/resource-quota/usage/quota-scopes.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { ResourceQuota } from '../../generated/types/core-v1.ts';
import type { ObjectHandler } from '../controller-context.ts';

/** Several objects that go at once cost one count. */
const GONE_MS = 50;
/**
 * Admission charges an object before it is stored: a count between the two misses the object, and this one corrects it.
 */
const ADDED_MS = 1000;
/** Counts of a quota are apart by so many times what its last one took, however many objects come and go. */
const COST_FACTOR = 10;
const COST_WAIT_MAX_MS = 10_000;

/** Why a quota is to be counted: an object has come, or one has gone or changed. */
export type RecountReason = 'added' | 'gone';

export interface RecountSteps {
  readonly quotasIn: (namespace: string) => readonly ResourceQuota[];
  readonly recount: (quota: ResourceQuota, after: RecountReason) => void;
}

/** Follows the objects of one resource for the quotas of their namespaces. */
export function recountTriggers(
  evaluator: QuotaEvaluator,
  { quotasIn, recount }: RecountSteps,
): ObjectHandler<ApiObject> {
  const counting = ({ metadata }: ApiObject): readonly ResourceQuota[] =>
    quotasIn(metadata.namespace ?? '').filter(({ spec }) =>
      Object.keys(spec.hard ?? {}).some((name) => evaluator.counts(name)),
    );
  const onUpdate = (old: ApiObject, current: ApiObject): void => {
    const quotas = counting(current);
    if (quotas.length === 0) return;
    const isUsageOther = !areSameAmounts(evaluator.usage(old), evaluator.usage(current));
    for (const quota of quotas) {
      const scopes = scopesOf(quota);
      if (isUsageOther || isInScopes(scopes, evaluator, old) !== isInScopes(scopes, evaluator, current))
        recount(quota, 'gone');
    }
  };
  return {
    onAdd(object, isInInitialList) {
      if (!isInInitialList) for (const quota of counting(object)) recount(quota, 'added');
    },
    ...(evaluator.isCountOnly === true ? {} : { onUpdate }),
    onDelete(object) {
      for (const quota of counting(object)) recount(quota, 'gone');
    },
  };
}

/** How long a count waits for more that happens; `costMs`: what the last one took. */
export function recountInMs(after: RecountReason, costMs: number): number {
  return Math.max(Math.min(COST_WAIT_MAX_MS, costMs * COST_FACTOR), after === 'gone' ? GONE_MS : ADDED_MS);
}
