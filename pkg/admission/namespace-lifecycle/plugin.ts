import { namespaces } from '../../api/core/tokens.ts';
import { localSubjectAccessReviews } from '../../api/authorization/tokens.ts';
import { notFound } from '../../apimachinery/errors/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { isFor } from '../handles.ts';

/** Without these a cluster does not work. */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Refuses objects in missing namespaces, new objects in terminating ones, and the deletion of namespaces that every
 * cluster needs.
 */
export function namespaceLifecyclePlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    async admit(request) {
      const { definition, operation, namespace } = request;
      if (definition.group === '' && definition.resource === 'namespaces') {
        if (operation === 'DELETE' && request.subresource === '' && IMMORTAL.has(request.name))
          throw refusal(request, 'this namespace may not be deleted');
        return;
      }
      if (namespace === '' || operation === 'DELETE' || operation === 'CONNECT') return;
      // An access review in a namespace does not reveal whether it exists.
      if (isFor(request, localSubjectAccessReviews)) return;
      const found = await lookup.get(namespaces, '', namespace);
      if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
      if (operation === 'CREATE' && found.status.phase === 'Terminating') throw terminating(request);
    },
  };
}

function terminating(request: AdmissionRequest): Error {
  const { namespace } = request;
  return refusal(request, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}
