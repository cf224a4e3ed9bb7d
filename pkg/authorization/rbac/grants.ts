import { goQuote } from '../../apimachinery/go-format.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { RoleRef, Subject } from '../../generated/types/rbac-v1.ts';

/** One subject of one binding: who gets which role by what. */
export interface Grant {
  /** `ClusterRoleBinding "a"` or `RoleBinding "a/namespace"`. */
  readonly binding: string;
  readonly bindingName: string;
  /** Where it counts; empty for the whole cluster. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  /** Identity of the role among all roles. */
  readonly roleKey: string;
  /** `User "alice"`. */
  readonly subject: string;
}

/** The parts of both kinds of binding. */
export interface Binding {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

/** Why a grant lets somebody in, in the words of stock servers. */
export function reasonOf({ binding, roleRef, subject }: Grant): string {
  return `RBAC: allowed by ${binding} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject}`;
}

export function clusterRoleKey(name: string): string {
  return `\n${name}`;
}

export function roleKey(namespace: string, name: string): string {
  return `${namespace}\n${name}`;
}

/** The role that a binding in `namespace` (empty: of the whole cluster) refers to; undefined for kinds that are no roles. */
function referredRole({ kind, name }: RoleRef, namespace: string): string | undefined {
  if (kind === 'ClusterRole') return clusterRoleKey(name);
  return kind === 'Role' && namespace !== '' ? roleKey(namespace, name) : undefined;
}

type SubjectKind = 'users' | 'groups';

/** Where a subject is found: by the name of a user or of a group. Service accounts are users. */
function placeOf(subject: Subject, bindingNamespace: string): readonly [kind: SubjectKind, name: string] | undefined {
  switch (subject.kind) {
    case 'User': return ['users', subject.name];
    case 'Group': return ['groups', subject.name];
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === '' ? undefined : ['users', `system:serviceaccount:${namespace}:${subject.name}`];
    }
    default: return undefined;
  }
}

function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  return `${kind} ${goQuote(kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name)}`;
}

/** Grants of one subject by role: however often a role is bound to somebody, it is looked at once. */
type GrantsByRole = Map<string, Grant[]>;

/** The grants of one namespace, or of the whole cluster. */
export class GrantScope {
  private readonly namespace: string;
  private readonly users = new Map<string, GrantsByRole>();
  private readonly groups = new Map<string, GrantsByRole>();
  /** What each binding put here, to take it away again. */
  private readonly placed = new Map<string, readonly (readonly [kind: SubjectKind, name: string, grant: Grant])[]>();

  /** Empty for the whole cluster. */
  constructor(namespace: string) {
    this.namespace = namespace;
  }

  get empty(): boolean {
    return this.placed.size === 0;
  }

  put(key: string, binding: Binding): void {
    this.remove(key);
    const grants = grantsOf(binding, this.namespace);
    for (const [kind, name, grant] of grants) {
      const subjects = this[kind];
      let byRole = subjects.get(name);
      if (byRole === undefined) subjects.set(name, (byRole = new Map()));
      const same = byRole.get(grant.roleKey);
      if (same === undefined) byRole.set(grant.roleKey, [grant]);
      else same.splice(firstAfter(same, grant.bindingName), 0, grant);
    }
    this.placed.set(key, grants);
  }

  remove(key: string): void {
    for (const [kind, name, grant] of this.placed.get(key) ?? []) {
      const byRole = this[kind].get(name)!;
      const same = byRole.get(grant.roleKey)!;
      same.splice(same.indexOf(grant), 1);
      if (same.length === 0) byRole.delete(grant.roleKey);
      if (byRole.size === 0) this[kind].delete(name);
    }
    this.placed.delete(key);
  }

  /** Shows one grant of each role that the user has, until `visit` says to stop; false when it did. */
  visit(user: UserInfo, visit: (grant: Grant) => boolean): boolean {
    if (!visitAll(this.users.get(user.name), visit)) return false;
    for (const group of user.groups) if (!visitAll(this.groups.get(group), visit)) return false;
    return true;
  }
}

function visitAll(byRole: GrantsByRole | undefined, visit: (grant: Grant) => boolean): boolean {
  if (byRole === undefined) return true;
  for (const grants of byRole.values()) if (!visit(grants[0]!)) return false;
  return true;
}

function grantsOf(binding: Binding, namespace: string): (readonly [SubjectKind, string, Grant])[] {
  const { metadata: { name = '' }, roleRef, subjects = [] } = binding;
  const role = referredRole(roleRef, namespace);
  if (role === undefined) return [];
  const shown = namespace === '' ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  return subjects.flatMap((subject) => {
    const place = placeOf(subject, namespace);
    if (place === undefined) return [];
    return [[...place, { binding: shown, bindingName: name, namespace, roleRef, roleKey: role, subject: describeSubject(subject, namespace) }] as const];
  });
}

/** Place of a name among grants that are sorted by the names of their bindings. */
function firstAfter(grants: readonly Grant[], name: string): number {
  let [low, high] = [0, grants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (grants[middle]!.bindingName <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}
