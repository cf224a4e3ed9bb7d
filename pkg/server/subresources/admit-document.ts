import type { AdmissionRequest, Operation } from '../../admission/admission.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { KindEndpoint, ServerParts } from '../resource-endpoint.ts';
import { optionsDocument } from '../verbs/options-document.ts';

/**
 * Runs admission for the body of a subresource: the document that the client sends, independent of the object above it.
 * Mutating plugins may change `object`. Throws StatusError.
 */
export async function admitDocument(
  context: RequestContext,
  endpoint: KindEndpoint,
  parts: ServerParts,
  operation: Operation,
  object: ApiObject,
  oldObject: ApiObject | undefined,
  dryRun: boolean,
): Promise<void> {
  const request = documentRequest(context, endpoint, operation, object, oldObject, dryRun);
  await parts.admission.admit(request);
  await parts.admission.validate(request);
}

/** What admission is shown of a document that is not stored itself. */
export function documentRequest(
  context: RequestContext,
  endpoint: KindEndpoint,
  operation: Operation,
  object: ApiObject,
  oldObject: ApiObject | undefined,
  dryRun: boolean,
): AdmissionRequest {
  const { info, user } = context;
  return {
    operation,
    object,
    oldObject,
    user,
    dryRun,
    notes: context,
    options: optionsDocument(context),
    deadlineMs: context.deadlineMs,
    definition: endpoint.target.definition,
    groupVersion: endpoint.target.groupVersion,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name || (object.metadata.name ?? ''),
  };
}
