import { AdmissionChain, silentNotes } from '../admission/admission.ts';
import { notFound } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/object.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { updateObject } from '../registry/update-object.ts';
import { systemContext } from './system-namespaces.ts';

/** Changes an object of the server's own in place, defaults included; writes nothing where nothing changes. Throws 404 where it is absent. */
export async function changeOwn<T extends ApiObject>(store: ResourceStore, namespace: string, name: string, change: (object: T) => void): Promise<void> {
  await updateObject(store, {
    namespace, name, subresource: '', context: systemContext(store.definition.hub), admission: new AdmissionChain([]), notes: silentNotes, allowCreate: false,
    transform(current) {
      if (current === undefined) throw notFound(store.groupResource, name);
      change(current as T);
      store.scheme.hub(store.definition).version.setDefaults?.(current);
      return current;
    },
  });
}
