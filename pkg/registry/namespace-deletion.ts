import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { DeleteRequest } from './delete-object.ts';

interface Namespace extends ApiObject {
  spec: { finalizers?: string[] };
  status: { phase?: string };
}

/**
 * A namespace that is deleted stays, marked as terminating, until its content is gone and its `spec.finalizers` are
 * empty: deleting a namespace deletes the namespaced objects in it.
 */
export function markNamespace(
  object: ApiObject,
  request: DeleteRequest,
): { kind: 'mark'; object: ApiObject } | { kind: 'remove' } | { kind: 'keep' } {
  const namespace = object as Namespace;
  const held = (namespace.spec.finalizers?.length ?? 0) > 0 || (namespace.metadata.finalizers?.length ?? 0) > 0;
  if (!held) return { kind: 'remove' };
  if (namespace.metadata.deletionTimestamp !== undefined) return { kind: 'keep' };
  namespace.metadata.deletionTimestamp = request.context.now;
  namespace.status.phase = 'Terminating';
  return { kind: 'mark', object: namespace };
}
