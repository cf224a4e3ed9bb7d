import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../api/rbac/tokens.ts';
import { deepCopy, deepEqual } from '../../apimachinery/json/deep.ts';
import { isConflict, isInvalid, isNotFound } from '../../apimachinery/errors/status-error.ts';
import { defaultPolicy } from '../../authorization/rbac/default-policy/default-policy.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../generated/types/rbac-v1.ts';
import { deleteObject } from '../../registry/delete-object.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { changeOwn, createOwnIfAbsent, ownWrite } from '../../registry/own-writes.ts';
import { addMissingRules, addMissingSubjects, isProtected } from './reconcile-policy.ts';

/** Rounds against other servers that start at the same moment. */
const ATTEMPTS_MAX = 5;

type PolicyObject = Role | ClusterRole | RoleBinding | ClusterRoleBinding;

/**
 * Makes the roles and bindings that every cluster has, and adds to those that are there what they lack. May run on
 * several servers at once. What cannot be repaired, since its owners or an older server left it in a form that is
 * refused today, is reported to `onError`; all others are done.
 */
export async function ensureDefaultPolicy(stores: StoreAccess, onError: (error: unknown) => void): Promise<void> {
  const policy = defaultPolicy();
  const told = async (ensured: Promise<void>): Promise<void> => {
    try {
      await ensured;
    } catch (error) {
      if (!isInvalid(error)) throw error;
      onError(error);
    }
  };
  await told(splitDiscovery(stores(clusterRoleBindings), policy.clusterRoleBindings));
  await Promise.all([
    ...policy.clusterRoles.map((role) => told(ensure(stores(clusterRoles), role, addMissingRules))),
    ...policy.roles.map((role) => told(ensure(stores(roles), role, addMissingRules))),
    ...policy.clusterRoleBindings.map((binding) =>
      told(ensure(stores(clusterRoleBindings), binding, addMissingSubjects)),
    ),
    ...policy.roleBindings.map((binding) => told(ensure(stores(roleBindings), binding, addMissingSubjects))),
  ]);
}

/**
 * What all users may see was part of discovery up to release 1.13. Users without access then stay without it: the new
 * binding begins as a copy of the old one, with its subjects and marks.
 */
async function splitDiscovery(
  store: ResourceStore<ClusterRoleBinding>,
  expected: readonly ClusterRoleBinding[],
): Promise<void> {
  const known = (await store.newest(store.keyOf('', 'system:discovery')))?.object();
  const split = expected.find(({ metadata }) => metadata.name === 'system:public-info-viewer');
  if (known === undefined || split === undefined) return;
  const {
    subjects,
    metadata: { labels, annotations },
  } = known;
  await createOwnIfAbsent(store, { ...split, metadata: { ...split.metadata, labels, annotations }, subjects });
}

async function ensure<T extends PolicyObject>(
  store: ResourceStore<T>,
  expected: T,
  addMissing: (object: T, expected: T) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ensureOnce(store, expected, addMissing);
    } catch (error) {
      // Another server has just taken it away to make it again, or was faster.
      if (attempt >= ATTEMPTS_MAX || !(isNotFound(error) || isConflict(error))) throw error;
    }
  }
}

async function ensureOnce<T extends PolicyObject>(
  store: ResourceStore<T>,
  expected: T,
  addMissing: (object: T, expected: T) => void,
): Promise<void> {
  const { namespace = '', name = '' } = expected.metadata;
  const known = (await store.newest(store.keyOf(namespace, name)))?.object();
  if (known === undefined) return createOwnIfAbsent(store, expected);
  if (isProtected(known.metadata)) return;
  if (!sameRole(known, expected)) {
    await remove(store, known);
    return createOwnIfAbsent(store, expected);
  }
  const repaired = deepCopy(known);
  addMissing(repaired, expected);
  if (!deepEqual(repaired, known)) await changeOwn(store, namespace, name, (object) => addMissing(object, expected));
}

/** The role of a binding cannot change: one to another role is made again. */
function sameRole(known: PolicyObject, expected: PolicyObject): boolean {
  return !('roleRef' in known) || !('roleRef' in expected) || deepEqual(known.roleRef, expected.roleRef);
}

async function remove(
  store: ResourceStore,
  { metadata: { namespace = '', name = '', uid = '' } }: PolicyObject,
): Promise<void> {
  await deleteObject(store, {
    ...ownWrite(store, namespace, name),
    options: { preconditions: { uid } },
  });
}
