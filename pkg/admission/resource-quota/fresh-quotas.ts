import { amountsOf, listOf, only, type Amounts } from '../../api/core/resource-quota/usage/amounts.ts';
import type { QuotaEvaluator } from '../../api/core/resource-quota/usage/evaluator.ts';
import { scopesOf } from '../../api/core/resource-quota/usage/quota-scopes.ts';
import { sumUsage } from '../../api/core/resource-quota/usage/sum-usage.ts';
import { deepCopy, deepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import { compareQuantities } from '../../apimachinery/values/quantity.ts';
import type { ResourceQuota } from '../../generated/types/core-v1.ts';
import { listObjects } from '../../registry/read-objects.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { QuotaAccount } from './quota-account.ts';

/** Any state of the cache, or nothing older than the request. */
export type QuotaFreshness = 'any' | 'consistent';

/** The quotas of a namespace, each in the newest state that this server knows. */
export async function quotasOf(
  store: ResourceStore<ResourceQuota>,
  namespace: string,
  freshness: QuotaFreshness,
): Promise<ResourceQuota[]> {
  const { objects } = await listObjects(store, { scope: store.scopeOf(namespace), limit: 0 }, { kind: freshness });
  const newest = await Promise.all(objects.map(({ key }) => store.newest(key)));
  return newest.filter((found) => found !== undefined).map((found) => found.object());
}

/**
 * A quota whose status lacks the usage that the request needs, or has it of an older specification, is updated here, by
 * counting the namespace's objects: a controller does so too, but later. Known usage stays: it includes what was just
 * granted to other requests. Amounts that the specification no longer bounds are removed from the status without
 * counting. A dry run stores nothing of it.
 */
export async function withUsage(
  quota: ResourceQuota,
  request: AdmissionRequest,
  evaluator: QuotaEvaluator,
  stores: StoreAccess,
  account: QuotaAccount,
): Promise<ResourceQuota> {
  const namesOf = ({ spec }: ResourceQuota): string[] =>
    Object.keys(spec.hard ?? {}).filter((name) => evaluator.counts(name));
  const droppedFrom = ({ spec, status }: ResourceQuota): string[] =>
    Object.keys(status.hard ?? {}).filter((name) => evaluator.counts(name) && !Object.hasOwn(spec.hard ?? {}, name));
  const isUncounted = namesOf(quota).some((name) => isStale(quota, name));
  if (!isUncounted && droppedFrom(quota).length === 0) return quota;
  const current = deepCopy(quota);
  for (const name of namesOf(current)) setKey((current.status.hard ??= {}), name, getKey(current.spec.hard, name));
  const usage = isUncounted
    ? await usageOf(current, request.namespace, evaluator, stores(request.definition))
    : undefined;
  // The specification may have changed by the time this is stored.
  const hasSameScopes = (target: ResourceQuota): boolean => deepEqual(scopesOf(target), scopesOf(current));
  const update = (target: ResourceQuota): void => {
    dropNames(target, droppedFrom(target));
    if (usage === undefined || !hasSameScopes(target)) return;
    const names = namesOf(target);
    for (const name of names) setKey((target.status.hard ??= {}), name, getKey(target.spec.hard, name));
    target.status.used = listOf(
      new Map([...only(usage, (name) => names.includes(name)), ...amountsOf(target.status.used)]),
    );
    for (const name of names) if (!Object.hasOwn(target.status.used, name)) setKey(target.status.used, name, '0');
  };
  update(current);
  if (request.dryRun) return current;
  const stored = (await account.change(request.namespace, quota.metadata.name ?? '', update)) ?? current;
  return hasSameScopes(stored) ? stored : withUsage(stored, request, evaluator, stores, account);
}

/** Removes names from the status, in place; a list without other names is removed too. */
function dropNames({ status }: ResourceQuota, names: readonly string[]): void {
  for (const list of ['hard', 'used'] as const) {
    for (const name of names) delete status[list]?.[name];
    if (names.length > 0 && Object.keys(status[list] ?? {}).length === 0) delete status[list];
  }
}

function isStale({ spec, status }: ResourceQuota, name: string): boolean {
  const bound = getKey<string>(status.hard, name);
  return (
    bound === undefined ||
    compareQuantities(bound, getKey<string>(spec.hard, name)!) !== 0 ||
    !Object.hasOwn(status.used ?? {}, name)
  );
}

async function usageOf(
  quota: ResourceQuota,
  namespace: string,
  evaluator: QuotaEvaluator,
  store: ResourceStore,
): Promise<Amounts> {
  const { objects } = await listObjects(store, { scope: store.scopeOf(namespace), limit: 0 }, { kind: 'consistent' });
  return sumUsage(decoded(objects), scopesOf(quota), evaluator);
}

/** Each object when it is asked for. */
function* decoded(found: readonly { readonly object: () => ApiObject }[]): Generator<ApiObject> {
  for (const one of found) yield one.object();
}
