import type { UserInfo } from '../../api/resource-definition.ts';
import { grantsOf, type Binding, type Grant, type PlacedGrant } from './grant.ts';

/** Grants of one subject by role: a role that is bound to a subject several times is evaluated once. */
type GrantsByRole = Map<string, Grant[]>;

/** The grants of one namespace, or of the whole cluster. */
export class GrantScope {
  private readonly namespace: string;
  private readonly users = new Map<string, GrantsByRole>();
  private readonly groups = new Map<string, GrantsByRole>();
  /** The grants of each binding, for their removal. */
  private readonly placed = new Map<string, readonly PlacedGrant[]>();

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

  /** Visits one grant of each role of the user, until `visit` returns false; then it returns false. */
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
