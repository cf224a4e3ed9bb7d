import { pods } from '../../api/core/tokens.ts';
import { podDisruptionBudgets } from '../../api/policy/tokens.ts';
import { noAdmission } from '../../admission/admission.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { badRequest, successStatus, plainInternal } from '../../apimachinery/errors/status-error.ts';
import type { Eviction } from '../../generated/types/policy-v1.ts';
import { checkDeleteOptions, type DeleteOptions, type DeleteOptionsBody } from '../../registry/delete-options.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { evictPod } from '../../registry/subresources/evict-pod.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import { admitDocument } from './admit-document.ts';
import { answerCreatedStatus, negotiateStatus } from '../verbs/answer-status.ts';
import { decodeBodyKind } from './decode-body-kind.ts';
import { matchNamespace } from '../verbs/match-path.ts';
import { writeRequest } from '../verbs/strategy-context.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

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
    await evictPod(stores(pods), stores(podDisruptionBudgets), { ...write, options });
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
