import { namespaces } from '../../api/core/tokens.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { internalError, notFound } from '../../apimachinery/errors/status-error.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { isFor } from '../handles.ts';
import type { Webhook } from './webhook.ts';

type Labels = Readonly<Record<string, string>>;

/** Whether a webhook's selectors match a request. Throws 404 where the namespace does not exist. */
export async function selected(
  { namespaceSelector, objectSelector }: Webhook,
  request: AdmissionRequest,
  lookup: ObjectLookup,
): Promise<boolean> {
  const { object, oldObject } = request;
  if (
    !objectSelector.empty &&
    ![object, oldObject].some((one) => one?.metadata !== undefined && objectSelector.matches(one.metadata.labels))
  )
    return false;
  if (namespaceSelector.empty) return true;
  const labels = await namespaceLabels(request, lookup);
  return labels === undefined || namespaceSelector.matches(labels);
}

/**
 * Labels for a namespace selector; undefined for cluster-wide objects, which always match. A namespace is matched in
 * its new state.
 */
async function namespaceLabels(request: AdmissionRequest, lookup: ObjectLookup): Promise<Labels | undefined> {
  const { operation, object, subresource } = request;
  const isNamespace = isFor(request, namespaces);
  if (isNamespace && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return object?.metadata.labels ?? {};
  const name = isNamespace ? request.name : request.namespace;
  if (name === '') return undefined;
  let namespace: ApiObject | undefined;
  try {
    namespace = await lookup.get(namespaces, '', name);
  } catch {
    throw internalError(`the namespace ${JSON.stringify(name)} cannot be read`);
  }
  if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
  return namespace.metadata.labels ?? {};
}
