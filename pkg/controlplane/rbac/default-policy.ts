import { AdmissionChain, silentNotes } from '../../admission/admission.ts';
import { deepEqual } from '../../apimachinery/deep.ts';
import type { ApiObject } from '../../apimachinery/object.ts';
import { isConflict, isNotFound } from '../../apimachinery/status-error.ts';
import { defaultPolicy } from '../../authorization/rbac/default-policy/default-policy.ts';
import type { ClusterRole, Role, RoleBinding } from '../../generated/types/rbac-v1.ts';
import { deleteObject } from '../../registry/delete-object.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { changeOwn } from '../own-objects.ts';
import { createIfAbsent, systemContext } from '../system-namespaces.ts';
import { addMissingRules, addMissingSubjects, isProtected } from './reconcile-policy.ts';

/** Rounds against other servers that start at the same moment. */
const ATTEMPTS_MAX = 5;

/** Makes the roles and bindings that every cluster has, and adds to those that are there what they lack. May run on several servers at once. */
export async function ensureDefaultPolicy(stores: StoreAccess): Promise<void> {
  const policy = defaultPolicy();
  const role = (name: string, objects: readonly (Role | ClusterRole)[]): Promise<void>[] => objects.map((expected) => ensure(stores(`${name}.rbac.authorization.k8s.io`), expected, ensureRole));
  const binding = (name: string, objects: readonly RoleBinding[]): Promise<void>[] => objects.map((expected) => ensure(stores(`${name}.rbac.authorization.k8s.io`), expected, ensureBinding));
  await Promise.all([
    ...role('clusterroles', policy.clusterRoles), ...role('roles', policy.roles),
    ...binding('clusterrolebindings', policy.clusterRoleBindings), ...binding('rolebindings', policy.roleBindings),
  ]);
}

async function ensure<T extends ApiObject>(store: ResourceStore, expected: T, once: (store: ResourceStore, expected: T) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(store, expected);
    } catch (error) {
      // Another server has just taken it away to make it anew, or was faster.
      if (attempt >= ATTEMPTS_MAX || !(isNotFound(error) || isConflict(error))) throw error;
    }
  }
}

async function ensureRole(store: ResourceStore, expected: Role | ClusterRole): Promise<void> {
  await createIfAbsent(store, expected);
  await changeOwn<Role>(store, expected.metadata.namespace ?? '', expected.metadata.name ?? '', (role) => {
    if (!isProtected(role.metadata)) addMissingRules(role, expected);
  });
}

async function ensureBinding(store: ResourceStore, expected: RoleBinding): Promise<void> {
  const { namespace = '', name = '' } = expected.metadata;
  await removeMisdirected(store, expected);
  await createIfAbsent(store, expected);
  await changeOwn<RoleBinding>(store, namespace, name, (binding) => {
    if (!isProtected(binding.metadata)) addMissingSubjects(binding, expected);
  });
}

/** The role of a binding cannot change: one to another role is made anew. */
async function removeMisdirected(store: ResourceStore, { metadata: { namespace = '', name = '' }, roleRef }: RoleBinding): Promise<void> {
  const known = (await store.newest(store.keyOf(namespace, name)))?.object() as RoleBinding | undefined;
  if (known === undefined || deepEqual(known.roleRef, roleRef) || isProtected(known.metadata)) return;
  await deleteObject(store, {
    namespace, name, subresource: '', context: systemContext(store.definition.hub), admission: new AdmissionChain([]), notes: silentNotes,
    options: { preconditions: { uid: known.metadata.uid ?? '' } },
  });
}
