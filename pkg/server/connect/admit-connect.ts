import type { AdmissionRequest } from '../../admission/admission.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { KindEndpoint, ServerParts } from '../resource-endpoint.ts';
import type { ConnectOptions } from './connect-options.ts';

/**
 * Runs admission for a connection through the server (`exec`, `attach`, `portforward`, `proxy`) before anything is
 * opened: the operation is CONNECT and the object is the connection's options, which have no metadata. Plugins may
 * change `options`. Throws StatusError.
 */
export async function admitConnect(
  context: RequestContext,
  endpoint: KindEndpoint,
  parts: ServerParts,
  options: ConnectOptions,
): Promise<void> {
  const { info, user } = context;
  const request: AdmissionRequest = {
    operation: 'CONNECT',
    // The one kind of object without metadata that passes here; plugins of CONNECT know it.
    object: options as ApiObject,
    oldObject: undefined,
    user,
    dryRun: false,
    notes: context,
    definition: endpoint.target.definition,
    groupVersion: endpoint.target.groupVersion,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
  };
  await parts.admission.admit(request);
  await parts.admission.validate(request);
}
