import type { ApiObject } from '../../../../apimachinery/meta/object.ts';
import { TimeSlice } from '../../../../apimachinery/time-slice.ts';
import type { Quantity } from '../../../../apimachinery/values/quantity.ts';
import type { ScopedResourceSelectorRequirement } from '../../../../generated/types/core-v1.ts';
import { addTo, type Amounts } from './amounts.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { isInScopes } from './quota-scopes.ts';

/** What all objects of one resource use that are in the scopes of a quota. Other work runs in between. */
export async function sumUsage(
  objects: Iterable<ApiObject>,
  scopes: readonly ScopedResourceSelectorRequirement[],
  evaluator: QuotaEvaluator,
): Promise<Amounts> {
  const sum = new Map<string, Quantity>();
  const slice = new TimeSlice();
  for (const object of objects) {
    if (slice.over) await slice.next();
    if (isInScopes(scopes, evaluator, object)) addTo(sum, evaluator.usage(object));
  }
  return sum;
}
