import { nodes, pods, secrets, serviceAccounts } from '../../api/core/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Secret, ServiceAccount } from '../../generated/types/core-v1.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { InvalidCredentials } from '../authenticator.ts';
import { CLOCK_SKEW_SECONDS } from '../jwt/claims.ts';

/** The objects on which a token of a service account depends; undefined where there is none of that name. */
export interface AccountObjects {
  serviceAccount(namespace: string, name: string): Promise<ServiceAccount | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  pod(namespace: string, name: string): Promise<ApiObject | undefined>;
  node(name: string): Promise<ApiObject | undefined>;
}

/** Reads from the watch cache, and from the store where an object is not in there. */
export function accountObjectsIn(stores: StoreAccess): AccountObjects {
  const get = async <T extends ApiObject>(
    resource: Resource<T>,
    namespace: string,
    name: string,
  ): Promise<T | undefined> => {
    const store = stores(resource);
    return (await store.newest(store.keyOf(namespace, name)))?.object();
  };
  return {
    serviceAccount: (namespace, name) => get(serviceAccounts, namespace, name),
    secret: (namespace, name) => get(secrets, namespace, name),
    pod: (namespace, name) => get(pods, namespace, name),
    node: (name) => get(nodes, '', name),
  };
}

/**
 * Checks that an object that a token names is the one that it was made for, and not being deleted for longer than
 * `graceSeconds`: as long as clocks may differ. Throws `InvalidCredentials`.
 */
export function checkLives(
  what: string,
  object: ApiObject | undefined,
  uid: string,
  nowMs: number,
  graceSeconds = CLOCK_SKEW_SECONDS,
): void {
  if (object === undefined) throw new InvalidCredentials(`the token's ${what} is gone`);
  const { deletionTimestamp } = object.metadata;
  if (typeof deletionTimestamp === 'string' && Date.parse(deletionTimestamp) < nowMs - graceSeconds * 1000)
    throw new InvalidCredentials(`the token's ${what} is being deleted`);
  if (object.metadata.uid !== uid)
    throw new InvalidCredentials(`the token's ${what} is another one than at its making`);
}
