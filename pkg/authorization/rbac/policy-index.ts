import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../api/rbac/tokens.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { NamedResource } from '../../api/resource.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { ClusterRole, PolicyRule, Role } from '../../generated/types/rbac-v1.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { followObjects, type ObjectIndex } from '../follow-objects.ts';
import { CompiledRole } from './compiled-role.ts';
import { clusterRoleKey, roleKey, type Binding, type Grant } from './grant.ts';
import { GrantScope } from './grant-scope.ts';

/** Rules of a user, as far as their roles exist. */
export interface FoundRules {
  readonly rules: readonly PolicyRule[];
  /** Grants of missing roles, one for each role. */
  readonly absent: readonly Grant[];
}

/**
 * The roles of users, and the rules of roles, kept in the order of the store's changes. A decision reads only the roles
 * of the user and of the user's groups, in the cluster and in one namespace, however many bindings there are.
 */
export class PolicyIndex {
  private readonly roles = new Map<string, CompiledRole>();
  /** By namespace; that of the whole cluster is the empty one. */
  private readonly scopes = new Map<string, GrantScope>();
  private changes = 0;

  readonly clusterRoles: ObjectIndex<ClusterRole> = this.roleIndex(({ metadata }) =>
    clusterRoleKey(metadata.name ?? ''),
  );
  readonly namespaceRoles: ObjectIndex<Role> = this.roleIndex(({ metadata }) =>
    roleKey(metadata.namespace ?? '', metadata.name ?? ''),
  );
  readonly clusterRoleBindings: ObjectIndex<ApiObject & Binding> = this.bindingIndex(() => '');
  readonly roleBindings: ObjectIndex<ApiObject & Binding> = this.bindingIndex(
    ({ metadata }) => metadata.namespace ?? '',
  );

  /** Goes up with every change. */
  get version(): number {
    return this.changes;
  }

  /** Visits the user's grants, with their roles where those exist, until `visit` returns false. */
  visit(user: UserInfo, namespace: string, visit: (grant: Grant, role: CompiledRole | undefined) => boolean): void {
    const look = (grant: Grant): boolean => visit(grant, this.roles.get(grant.roleKey));
    const goesOn = this.scopes.get('')?.visit(user, look) ?? true;
    if (goesOn && namespace !== '') this.scopes.get(namespace)?.visit(user, look);
  }

  /**
   * Every rule that the user has in the namespace (empty: in the cluster), those of the cluster first, by the names of
   * their bindings.
   */
  rulesFor(user: UserInfo, namespace: string): FoundRules {
    const found = new Map<string, Grant>();
    this.visit(user, namespace, (grant) => {
      const known = found.get(grant.roleKey);
      if (known === undefined || isBefore(grant, known)) found.set(grant.roleKey, grant);
      return true;
    });
    const rules: PolicyRule[] = [];
    const absent: Grant[] = [];
    for (const grant of [...found.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1))) {
      const role = this.roles.get(grant.roleKey);
      if (role === undefined) absent.push(grant);
      else for (const rule of role.rules) rules.push(rule);
    }
    return { rules, absent };
  }

  /** The rules of a role; undefined where there is none. */
  rulesOf(kind: string, namespace: string, name: string): readonly PolicyRule[] | undefined {
    return this.roles.get(kind === 'ClusterRole' ? clusterRoleKey(name) : roleKey(namespace, name))?.rules;
  }

  private roleIndex<T extends Role | ClusterRole>(identity: (role: T) => string): ObjectIndex<T> {
    const known = new Map<string, string>();
    return this.counting({
      clear: () => {
        for (const role of known.values()) this.roles.delete(role);
        known.clear();
      },
      put: (key, role) => {
        known.set(key, identity(role));
        this.roles.set(identity(role), new CompiledRole(role.rules ?? []));
      },
      remove: (key) => {
        this.roles.delete(known.get(key) ?? '');
        known.delete(key);
      },
    });
  }

  private bindingIndex(namespaceOf: (binding: ApiObject & Binding) => string): ObjectIndex<ApiObject & Binding> {
    const known = new Map<string, string>();
    return this.counting({
      clear: () => {
        for (const [key, namespace] of known) this.removeBinding(namespace, key);
        known.clear();
      },
      put: (key, binding) => {
        const namespace = namespaceOf(binding);
        let scope = this.scopes.get(namespace);
        if (scope === undefined) this.scopes.set(namespace, (scope = new GrantScope(namespace)));
        scope.put(key, binding);
        known.set(key, namespace);
      },
      remove: (key) => {
        const namespace = known.get(key);
        if (namespace !== undefined) this.removeBinding(namespace, key);
        known.delete(key);
      },
    });
  }

  /** The index, with each of its changes counted. */
  private counting<T extends ApiObject>({ clear, put, remove }: ObjectIndex<T>): ObjectIndex<T> {
    const counted =
      <A extends unknown[]>(change: (...args: A) => void) =>
      (...args: A): void => {
        this.changes++;
        change(...args);
      };
    return { clear: counted(clear), put: counted(put), remove: counted(remove) };
  }

  private removeBinding(namespace: string, key: string): void {
    const scope = this.scopes.get(namespace);
    scope?.remove(key);
    if (scope?.empty === true) this.scopes.delete(namespace);
  }
}

/** Cluster-wide grants come first, then by the names of bindings. */
function isBefore(a: Grant, b: Grant): boolean {
  return a.namespace === b.namespace ? a.bindingName < b.bindingName : a.namespace === '';
}

/** A binding's role that does not exist, in the words of stock servers. */
export function missingRole({ roleRef }: Grant): string {
  return `${roleRef.kind === 'ClusterRole' ? 'clusterrole' : 'role'}.rbac.authorization.k8s.io ${goQuote(roleRef.name)} not found`;
}

/** Follows a server's stores until the server stops. */
export function followPolicy(stores: StoreAccess, onError: (error: unknown, where: string) => void): PolicyIndex {
  const index = new PolicyIndex();
  const told = (error: unknown): void => onError(error, 'RBAC policy');
  stores(clusterRoles).cache.listen(followObjects(index.clusterRoles, told));
  stores(roles).cache.listen(followObjects(index.namespaceRoles, told));
  stores(clusterRoleBindings).cache.listen(followObjects(index.clusterRoleBindings, told));
  stores(roleBindings).cache.listen(followObjects(index.roleBindings, told));
  return index;
}

/**
 * Brings the index up to every write acknowledged so far, in each of the stores that may hold a part of the policy;
 * false when that takes too long.
 */
export async function policyIsFresh(stores: StoreAccess): Promise<boolean> {
  const followed: readonly NamedResource[] = [clusterRoles, roles, clusterRoleBindings, roleBindings];
  const cachers = new Set(followed.map((resource) => stores(resource).cacher));
  return (await Promise.all([...cachers].map((cacher) => cacher.fresh()))).every(Boolean);
}
