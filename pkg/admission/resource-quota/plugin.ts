import type { QuotaEvaluator } from '../../api/core/resource-quota/usage/evaluator.ts';
import { quotaEvaluators } from '../../api/core/resource-quota/usage/evaluators.ts';
import { namespaces, resourceQuotas } from '../../api/core/tokens.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { ResourceQuota } from '../../generated/types/core-v1.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { isFor, isPodResize, handles } from '../handles.ts';
import { checkExceeded, checkRequest, type Charge } from './check-request.ts';
import type { LimitedResource } from './configuration.ts';
import { quotasOf, withUsage, type QuotaFreshness } from './fresh-quotas.ts';
import { QuotaAccount } from './quota-account.ts';

export interface ResourceQuotaSettings {
  readonly limited: readonly LimitedResource[];
  readonly nowMs: () => number;
  readonly onError: (error: unknown, where: string) => void;
}

/**
 * Bounds the total usage of a namespace's objects. A request's cost is added to its quotas before its object is stored,
 * and removed when that fails; the controller that counts usage removes the cost of deleted objects.
 */
export function resourceQuotaPlugin(
  stores: StoreAccess,
  { limited, nowMs, onError }: ResourceQuotaSettings,
): AdmissionPlugin {
  const evaluatorOf = quotaEvaluators(nowMs);
  let opened: QuotaAccount | undefined;
  const account = (): QuotaAccount => (opened ??= new QuotaAccount(stores(resourceQuotas), nowMs, onError));

  async function evaluate(
    request: AdmissionRequest,
    evaluator: QuotaEvaluator,
    freshness: QuotaFreshness,
  ): Promise<Charge[]> {
    const quotas = await quotasOf(stores(resourceQuotas), request.namespace, freshness);
    if (quotas.length === 0 && limited.length === 0) return [];
    const current: ResourceQuota[] = [];
    for (const quota of quotas) current.push(await withUsage(quota, request, evaluator, stores, account()));
    return checkRequest(current, request, evaluator, limited);
  }

  /** The cache may be behind another server's writes: only the newest state refuses. */
  async function costsOf(request: AdmissionRequest, evaluator: QuotaEvaluator): Promise<Charge[]> {
    try {
      return await evaluate(request, evaluator, 'any');
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return evaluate(request, evaluator, 'consistent');
    }
  }

  /** Undefined for requests that cost nothing. */
  function evaluatorFor(request: AdmissionRequest): QuotaEvaluator | undefined {
    const evaluator = isCounted(request) ? evaluatorOf(request.definition) : undefined;
    const { operation, object, oldObject } = request;
    if (isPodResize(request) || evaluator?.operations.some((one) => one === operation) === true) return evaluator;
    const flips =
      operation === 'UPDATE' &&
      object !== undefined &&
      oldObject !== undefined &&
      evaluator?.changesScope?.(object, oldObject) === true;
    return flips ? evaluator : undefined;
  }

  return {
    name: 'ResourceQuota',
    validate: handles(
      (request) => evaluatorFor(request) !== undefined,
      async (request) => {
        const charges = await costsOf(request, evaluatorFor(request)!);
        if (request.dryRun) return;
        const charged: Charge[] = [];
        const giveBack = (): Promise<void> => account().giveBack(request.namespace, charged);
        try {
          for (const charge of charges) {
            await account().charge(request.namespace, charge, (quota) => checkExceeded(request, quota, charge.amounts));
            charged.push(charge);
          }
        } catch (error) {
          await giveBack();
          throw error;
        }
        if (charged.length > 0) request.whenRefused?.(giveBack);
      },
    ),
  };
}

/** Paths below objects cost nothing, except resized pods; nor do cluster-wide objects and the namespaces themselves. */
function isCounted(request: AdmissionRequest): boolean {
  return (
    (request.subresource === '' || isPodResize(request)) &&
    request.namespace !== '' &&
    request.definition.virtual !== true &&
    !isFor(request, namespaces)
  );
}
