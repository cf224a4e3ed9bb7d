import { noAdmission } from '../../admission/admission.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { badRequest, isConflict, successStatus } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { Eviction, PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import { deleteObject, type DeleteRequest } from '../../registry/delete-object.ts';
import { checkDeleteOptions, type DeleteOptions, type DeleteOptionsBody } from '../../registry/delete-options.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseWriteOptions, plainInternal } from '../request/request-options.ts';
import { admitDocument } from './admit-document.ts';
import { answerCreatedStatus, negotiateStatus } from '../verbs/answer-status.ts';
import { decodeBodyKind } from './decode-body-kind.ts';
import { budgetsOf, stillProcessed, takeDisruption } from './disruption-budget.ts';
import { matchNamespace } from '../verbs/match-path.ts';
import { writeRequest } from '../verbs/strategy-context.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

/** Rounds against writers of the pod before a conflict is the client's. */
const ATTEMPTS_MAX = 20;

/** POST of an Eviction to `pods/<name>/eviction`: a delete that the pod's disruption budget may refuse. */
export function handleEviction(stores: StoreAccess): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const accepted = negotiateStatus(context);
    const { dryRun, fieldValidation } = parseWriteOptions(context.query, 'CreateOptions');
    const eviction = decodeBodyKind<Eviction>(
      context,
      endpoint.store.scheme,
      'Eviction',
      ['policy/v1', 'policy/v1beta1'],
      fieldValidation,
    );
    matchNamespace(context, endpoint, eviction);
    if (eviction.metadata.name !== context.info.name)
      throw badRequest('name in URL does not match name in Eviction object');
    const options = deleteOptionsOf(context, eviction);
    const isDryRun = dryRun || (options.dryRun?.length ?? 0) > 0;
    // Admission knows one version of it, whichever was sent.
    eviction.apiVersion = 'policy/v1';
    await admitDocument(context, endpoint, parts, 'CREATE', eviction, undefined, isDryRun);
    const write = { ...writeRequest(context, endpoint, parts, isDryRun), subresource: '', admission: noAdmission };
    await evict(endpoint.store, stores('poddisruptionbudgets.policy'), { ...write, options });
    answerCreatedStatus(context, successStatus(), accepted);
  };
}

function deleteOptionsOf(context: RequestContext, eviction: Eviction): DeleteOptions {
  const asked = context.query.getAll('dryRun').filter((v) => v !== '');
  const body = (eviction.deleteOptions ?? {}) as DeleteOptionsBody;
  const given = body.dryRun ?? [];
  if (given.length > 0 && asked.length > 0 && !deepEqual(given, asked)) {
    throw plainInternal(
      `Non-matching dry-run options in request and content: [${asked.join(' ')}] and [${given.join(' ')}]`,
    );
  }
  return checkDeleteOptions({ ...body, dryRun: given.length > 0 ? given : asked });
}

async function evict(pods: ResourceStore, budgets: ResourceStore, request: DeleteRequest): Promise<void> {
  const pod = await deleteUnlessGuarded(pods, request);
  if (pod === undefined) return;
  const found = await budgetsOf(budgets, pod);
  if (found.length > 1)
    throw plainInternal(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const budget = found[0];
  if (budget === undefined) {
    await deleteObject(pods, request);
  } else if (isOutsideOfBudget(pod, budget)) {
    await deleteAsSeen(pods, request, pod, budget);
  } else {
    await takeDisruption(budgets, budget, request.name, request);
    await deleteObject(pods, request);
  }
}

/**
 * Deletes a pod whose end disrupts nothing; gives back the others. A pod that might just have come to life is deleted
 * only as it was seen.
 */
async function deleteUnlessGuarded(pods: ResourceStore, request: DeleteRequest): Promise<Pod | undefined> {
  const isPinned = request.options.preconditions?.resourceVersion !== undefined;
  for (let attempt = 1; ; attempt++) {
    const pod = (await getObject(pods, request.namespace, request.name, { kind: 'consistent' })).object() as Pod;
    const isEnded =
      pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed' || pod.metadata.deletionTimestamp !== undefined;
    if (!isEnded && pod.status.phase !== 'Pending') return pod;
    try {
      await deleteObject(pods, isEnded || isPinned ? request : pinned(request, pod));
      return undefined;
    } catch (error) {
      if (isPinned || !isConflict(error) || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}

/**
 * A pod that is not ready counts as disrupted already, where the others suffice or the budget says that they need not.
 */
function isOutsideOfBudget(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (pod.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true) return false;
  return (
    spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
    (status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0)
  );
}

async function deleteAsSeen(
  pods: ResourceStore,
  request: DeleteRequest,
  pod: Pod,
  budget: PodDisruptionBudget,
): Promise<void> {
  const isPinned = request.options.preconditions?.resourceVersion !== undefined;
  try {
    await deleteObject(pods, pinned(request, pod));
  } catch (error) {
    throw isConflict(error) && !isPinned ? stillProcessed(budget.metadata.name ?? '') : error;
  }
}

function pinned(request: DeleteRequest, pod: Pod): DeleteRequest {
  const { options } = request;
  const resourceVersion = pod.metadata.resourceVersion;
  return {
    ...request,
    options: {
      ...options,
      preconditions: { ...options.preconditions, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    },
  };
}
