import { nodes, pods, secrets } from '../../api/core/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import { badRequest, conflict } from '../../apimachinery/errors/status-error.ts';
import { nameIsPathSegment } from '../../apimachinery/names/names.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { BoundObjectReference } from '../../generated/types/authentication-v1.ts';
import { getObject } from '../read-objects.ts';
import type { StoreAccess } from '../store-access.ts';

/** The object to which a token is bound: the token ends with it. */
export interface BoundObjects {
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly secret?: { readonly name: string; readonly uid: string };
  readonly node?: { readonly name: string; readonly uid?: string };
}

/**
 * The object to which a token is to be bound: a pod of the account, a node, or a secret. Throws 400 for others, 404
 * where it is missing, 409 where it has another uid.
 */
export async function boundObject(
  stores: StoreAccess,
  namespace: string,
  account: string,
  reference: BoundObjectReference,
): Promise<BoundObjects> {
  const { kind = '', apiVersion = '', name = '' } = reference;
  const read = async <T extends ApiObject>(resource: Resource<T>, within = namespace): Promise<T> => {
    checkName(name);
    return (await getObject(stores(resource), within, name, { kind: 'consistent' })).object();
  };
  if (isCore(apiVersion) && kind === 'Pod') {
    const pod = await read(pods);
    if ((pod.spec.serviceAccountName ?? '') !== account)
      throw badRequest(
        `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
      );
    const bound = { name, uid: checkedUid(pod, reference) };
    const nodeName = pod.spec.nodeName ?? '';
    return nodeName === ''
      ? { pod: bound }
      : { pod: bound, node: { name: nodeName, ...(await uidOfNode(stores, nodeName)) } };
  }
  if (isCore(apiVersion) && kind === 'Secret')
    return { secret: { name, uid: checkedUid(await read(secrets), reference) } };
  if (isCore(apiVersion) && kind === 'Node')
    return { node: { name, uid: checkedUid(await read(nodes, ''), reference) } };
  throw badRequest(`cannot bind token to object of type ${typeText(apiVersion, kind)}`);
}

/** None where the node does not exist: pods may name one that is still to come. */
async function uidOfNode(stores: StoreAccess, name: string): Promise<{ uid?: string }> {
  const store = stores(nodes);
  const uid = (await store.newest(store.keyOf('', name)))?.object().metadata?.uid;
  return uid === undefined ? {} : { uid };
}

/** Throws 400 for an invalid name. */
function checkName(name: string): void {
  if (name === '') throw badRequest('Name parameter required.');
  const problems = nameIsPathSegment(name, false);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problems.join(';')}`);
}

function isCore(apiVersion: string): boolean {
  return !apiVersion.includes('/');
}

/** Group, version and kind as stock servers print them. */
function typeText(apiVersion: string, kind: string): string {
  return `${isCore(apiVersion) ? `/${apiVersion}` : apiVersion}, Kind=${kind}`;
}

function checkedUid(object: ApiObject, { uid = '', name = '', kind = '' }: BoundObjectReference): string {
  const found = object.metadata.uid ?? '';
  if (uid === '' || uid === found) return found;
  const message = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw conflict({ group: '', resource: kind }, name, message);
}
