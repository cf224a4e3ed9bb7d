import { pods } from '../../api/core/tokens.ts';
import { badRequest, successStatus } from '../../apimachinery/errors/status-error.ts';
import type { Binding } from '../../generated/types/core-v1.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { bindPod } from '../../registry/subresources/bind-pod.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import { admitDocument } from './admit-document.ts';
import { answerCreatedStatus, negotiateStatus } from '../verbs/answer-status.ts';
import { decodeBodyKind } from './decode-body-kind.ts';
import { matchNamespace } from '../verbs/match-path.ts';
import { writeRequest } from '../verbs/strategy-context.ts';
import type { KindHandler } from './subresource-handlers.ts';

/** POST of a Binding, to `pods/<name>/binding` or to the older `bindings`: gives a pod to a node. */
export function handleBinding(stores: StoreAccess): KindHandler {
  return async (context, endpoint, parts) => {
    const accepted = negotiateStatus(context);
    const options = parseWriteOptions(context.query, 'CreateOptions');
    const binding = decodeBodyKind<Binding>(context, endpoint.scheme, 'Binding', ['v1'], options.fieldValidation);
    matchNamespace(context, endpoint, binding);
    const name = binding.metadata.name ?? '';
    if (endpoint.subresource !== undefined && name !== context.info.name)
      throw badRequest('name in URL does not match name in Binding object');
    await admitDocument(context, endpoint, parts, 'CREATE', binding, undefined, options.dryRun);
    await bindPod(stores(pods), binding, writeRequest(context, endpoint, parts, options.dryRun));
    answerCreatedStatus(context, successStatus(), accepted);
  };
}
