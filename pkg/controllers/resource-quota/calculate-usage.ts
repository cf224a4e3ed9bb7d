import { amountsOf, areSameAmounts, type Amounts } from '../../api/core/resource-quota/usage/amounts.ts';
import type { QuotaEvaluator } from '../../api/core/resource-quota/usage/evaluator.ts';
import { scopesOf } from '../../api/core/resource-quota/usage/quota-scopes.ts';
import { sumUsage } from '../../api/core/resource-quota/usage/sum-usage.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { Quantity } from '../../apimachinery/values/quantity.ts';
import type { ResourceQuota } from '../../generated/types/core-v1.ts';

/** A resource whose objects count. */
export interface CountedResource {
  /** `deployments.apps`. */
  readonly key: string;
  readonly evaluator: QuotaEvaluator;
  /** Undefined: they are not known yet. */
  readonly objects: (namespace: string) => readonly ApiObject[] | undefined;
}

export interface CalculatedUsage {
  /** Of the names that could be counted. */
  readonly usage: Amounts;
  /** Why others could not. */
  readonly failures: readonly Error[];
}

/** Counts what a quota bounds. A resource whose objects are not known harms no other one. */
export async function calculateUsage(
  quota: ResourceQuota,
  resources: readonly CountedResource[],
): Promise<CalculatedUsage> {
  const bounded = Object.keys(quota.spec.hard ?? {});
  const usage = new Map<string, Quantity>();
  const failures: Error[] = [];
  for (const { key, evaluator, objects } of resources) {
    const names = bounded.filter((name) => evaluator.counts(name));
    if (names.length === 0) continue;
    try {
      const found = objects(quota.metadata.namespace!);
      if (found === undefined) throw new Error('they are not known yet');
      const sum = await sumUsage(found, scopesOf(quota), evaluator);
      for (const name of names) usage.set(name, sum.get(name) ?? Quantity.zero());
    } catch (error) {
      failures.push(new Error(`objects of ${key} are not counted: ${(error as Error).message}`, { cause: error }));
    }
  }
  return { usage, failures };
}

/** Whether the status of a quota misses what the specification bounds and one of these resources counts. */
export function isUncounted({ spec, status }: ResourceQuota, resources: readonly CountedResource[]): boolean {
  const hard = spec.hard ?? {};
  if (!areSameAmounts(amountsOf(hard), amountsOf(status?.hard))) return true;
  return Object.keys(hard).some(
    (name) => !Object.hasOwn(status?.used ?? {}, name) && resources.some(({ evaluator }) => evaluator.counts(name)),
  );
}
