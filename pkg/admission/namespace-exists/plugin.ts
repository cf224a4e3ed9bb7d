import { namespaces } from '../../api/core/tokens.ts';
import { notFound } from '../../apimachinery/errors/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { isFor } from '../handles.ts';

/** Refuses writes in namespaces that do not exist. NamespaceLifecycle does so too, except for deletes. */
export function namespaceExistsPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    async validate(request) {
      const { namespace, operation } = request;
      if (namespace === '' || operation === 'CONNECT' || isFor(request, namespaces)) return;
      if ((await lookup.get(namespaces, '', namespace)) === undefined) throw absent(request);
    },
  };
}

function absent({ namespace }: AdmissionRequest): Error {
  return notFound({ group: '', resource: 'namespaces' }, namespace);
}
