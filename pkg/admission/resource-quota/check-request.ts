import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../generated/types/core-v1.ts';
import type { AdmissionRequest } from '../admission.ts';
import { plainFailure, refusal } from '../refusal.ts';
import {
  added,
  amountsOf,
  excess,
  namesAbove,
  only,
  printed,
  withoutZeros,
  type Amounts,
} from '../../api/core/resource-quota/usage/amounts.ts';
import type { QuotaEvaluator } from '../../api/core/resource-quota/usage/evaluator.ts';
import { isInScopes, scopesOf } from '../../api/core/resource-quota/usage/quota-scopes.ts';
import type { LimitedResource } from './configuration.ts';

/** The cost of a request for one quota. */
export interface Charge {
  readonly quota: string;
  readonly amounts: Amounts;
}

/**
 * The cost of a request for each quota of its namespace; throws the refusal when one of them is exceeded, or a limited
 * resource has none.
 */
export function checkRequest(
  quotas: readonly ResourceQuota[],
  request: AdmissionRequest,
  evaluator: QuotaEvaluator,
  limited: readonly LimitedResource[],
): Charge[] {
  const object = request.object!;
  const covering = quotas.filter((quota) => covers(quota, evaluator, object));
  for (const quota of covering) checkSpecified(request, quota, evaluator);
  const usage = evaluator.usage(object);
  const negative = [...usage].filter(([, amount]) => amount.sign() < 0).map(([name]) => name);
  if (negative.length > 0)
    throw refusal(request, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  const { oldObject } = request;
  const more = oldObject === undefined ? usage : excess(usage, evaluator.usage(oldObject));
  // An update that moves an object into a quota's scope costs it the whole object.
  const charges = covering.map((quota) => ({
    quota,
    amounts: withoutZeros(oldObject === undefined || !covers(quota, evaluator, oldObject) ? usage : more),
  }));
  const costs = covering.length === 0 ? withoutZeros(more).size > 0 : charges.some(({ amounts }) => amounts.size > 0);
  if (!costs) return [];
  checkCovered(request, quotas, covering, evaluator, limited);
  return charges.flatMap(({ quota, amounts }) => {
    const bounded = only(amounts, (name) => Object.hasOwn(quota.status.hard ?? {}, name));
    checkExceeded(request, quota, bounded);
    return bounded.size === 0 ? [] : [{ quota: quota.metadata.name ?? '', amounts: bounded }];
  });
}

/** Throws the refusal when a quota has no room for the amounts. */
export function checkExceeded(
  request: AdmissionRequest,
  { metadata, status }: ResourceQuota,
  requested: Amounts,
): void {
  const hard = amountsOf(status.hard);
  const used = amountsOf(status.used);
  const exceeded = namesAbove(
    only(added(used, requested), (name) => requested.has(name)),
    hard,
  );
  if (exceeded.size === 0) return;
  const [asked, taken, bounds] = [requested, used, hard].map((amounts) =>
    printed(only(amounts, (name) => exceeded.has(name))),
  );
  throw refusal(request, `exceeded quota: ${metadata.name}, requested: ${asked}, used: ${taken}, limited: ${bounds}`);
}

/** Whether an object counts towards a quota. */
function covers(
  quota: ResourceQuota,
  evaluator: QuotaEvaluator,
  object: NonNullable<AdmissionRequest['object']>,
): boolean {
  if (!Object.keys(quota.status.hard ?? {}).some((name) => evaluator.counts(name))) return false;
  return isInScopes(scopesOf(quota), evaluator, object);
}

function checkSpecified(
  request: AdmissionRequest,
  { metadata, status }: ResourceQuota,
  evaluator: QuotaEvaluator,
): void {
  const bounded = Object.keys(status.hard ?? {}).filter((name) => evaluator.counts(name));
  const missing = evaluator.missing?.(request.object!, new Set(bounded));
  if (missing !== undefined) throw refusal(request, `failed quota: ${metadata.name}: ${missing}`);
  if (bounded.some((name) => !Object.hasOwn(status.used ?? {}, name)))
    throw refusal(request, `status unknown for quota: ${metadata.name}, resources: ${bounded.sort().join(',')}`);
}

/** Resources that the operator limits need a quota. */
function checkCovered(
  request: AdmissionRequest,
  quotas: readonly ResourceQuota[],
  covering: readonly ResourceQuota[],
  evaluator: QuotaEvaluator,
  limited: readonly LimitedResource[],
): void {
  const object = request.object!;
  const bounded = new Set(
    covering.flatMap(({ status }) => Object.keys(status.hard ?? {}).filter((name) => evaluator.counts(name))),
  );
  const ofThis = limited.filter(
    ({ group, resource }) => group === request.definition.group && resource === request.definition.resource,
  );
  const consumed = [...evaluator.usage(object)].filter(([, amount]) => amount.sign() > 0).map(([name]) => name);
  const uncovered = consumed.filter(
    (name) =>
      !bounded.has(name) && ofThis.some(({ matchContains }) => matchContains.some((part) => name.includes(part))),
  );
  if (uncovered.length > 0) throw refusal(request, `insufficient quota to consume: ${uncovered.sort().join(',')}`);
  const isIn = (scope: ScopedResourceSelectorRequirement): boolean => evaluator.inScope?.(object, scope) === true;
  const coveredScopes = new Set(
    quotas
      .flatMap(scopesOf)
      .filter(isIn)
      .map(({ scopeName }) => scopeName),
  );
  const open = limited
    .flatMap(({ matchScopes }) => matchScopes)
    .filter((scope) => isIn(scope) && !coveredScopes.has(scope.scopeName));
  if (open.length > 0) throw plainFailure(`insufficient quota to match these scopes: [${open.map(goScope).join(' ')}]`);
}

function goScope({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): string {
  return `{${scopeName} ${operator} [${values.join(' ')}]}`;
}
