import { namespaces } from '../../api/core/tokens.ts';
import { isAlreadyExists, StatusError } from '../../apimachinery/errors/status-error.ts';
import type { AdmissionPlugin } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { isFor } from '../handles.ts';

/** Stores a namespace of this name with only defaults; throws StatusError. */
export type CreateNamespace = (name: string) => Promise<void>;

/** Creates the namespace of a new object when it does not exist. A dry run creates nothing, and passes all the same. */
export function namespaceAutoProvisionPlugin(lookup: ObjectLookup, createNamespace: CreateNamespace): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    async admit(request) {
      const { namespace, operation, dryRun } = request;
      if (namespace === '' || operation !== 'CREATE' || dryRun || isFor(request, namespaces)) return;
      if ((await lookup.get(namespaces, '', namespace)) !== undefined) return;
      try {
        await createNamespace(namespace);
      } catch (error) {
        // Another request, perhaps of another server, was faster.
        if (isAlreadyExists(error)) return;
        throw error instanceof StatusError && error.code !== 403 ? refusal(request, error.message) : error;
      }
    },
  };
}
