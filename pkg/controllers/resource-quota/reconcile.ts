import { amountsOf, areSameAmounts, listOf, only } from '../../api/core/resource-quota/usage/amounts.ts';
import type { ResourceQuota } from '../../generated/types/core-v1.ts';
import type { CalculatedUsage } from './calculate-usage.ts';

export interface QuotaSteps {
  readonly calculate: (quota: ResourceQuota) => Promise<CalculatedUsage>;
  readonly writeStatus: (quota: ResourceQuota) => Promise<unknown>;
}

/**
 * Brings the status of a quota to what its namespace uses. What cannot be counted keeps its value, and is thrown after
 * all else is written.
 */
export async function reconcile(quota: ResourceQuota, { calculate, writeStatus }: QuotaSteps): Promise<void> {
  const { spec, status } = quota;
  const { usage, failures } = await calculate(quota);
  const hard = spec.hard ?? {};
  const known = amountsOf(status?.used);
  const used = only(new Map([...known, ...usage]), (name) => Object.hasOwn(hard, name));
  if (!areSameAmounts(amountsOf(status?.hard), amountsOf(hard)) || !areSameAmounts(known, used))
    await writeStatus({ ...quota, status: { hard, used: listOf(used) } });
  if (failures.length > 0)
    throw failures.length === 1 ? failures[0]! : new AggregateError(failures, messagesOf(failures));
}

function messagesOf(failures: readonly Error[]): string {
  return failures.map(({ message }) => message).join('; ');
}
