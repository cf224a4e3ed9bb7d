import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { RoleRef, Subject } from '../../generated/types/rbac-v1.ts';

/** One subject of one binding: the user or group that gets a role, and by which binding. */
export interface Grant {
  /** `ClusterRoleBinding "a"` or `RoleBinding "a/namespace"`. */
  readonly binding: string;
  readonly bindingName: string;
  /** The namespace of the grant; empty for the whole cluster. */
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

/** The reason of an allowed request, in the words of stock servers. */
export function reasonOf({ binding, roleRef, subject }: Grant): string {
  return `RBAC: allowed by ${binding} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject}`;
}

export function clusterRoleKey(name: string): string {
  return `\n${name}`;
}

export function roleKey(namespace: string, name: string): string {
  return `${namespace}\n${name}`;
}

/**
 * The role that a binding in `namespace` (empty: of the whole cluster) refers to; undefined for kinds that are no
 * roles.
 */
function referredRole({ kind, name }: RoleRef, namespace: string): string | undefined {
  if (kind === 'ClusterRole') return clusterRoleKey(name);
  return kind === 'Role' && namespace !== '' ? roleKey(namespace, name) : undefined;
}

export type SubjectKind = 'users' | 'groups';

/** The key under which a subject is found: the name of a user or of a group. Service accounts are users. */
function placeOf(subject: Subject, bindingNamespace: string): readonly [kind: SubjectKind, name: string] | undefined {
  switch (subject.kind) {
    case 'User':
      return ['users', subject.name];
    case 'Group':
      return ['groups', subject.name];
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === '' ? undefined : ['users', `system:serviceaccount:${namespace}:${subject.name}`];
    }
    default:
      return undefined;
  }
}

function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  return `${kind} ${goQuote(kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name)}`;
}

/** A grant and the user or group that finds it. */
export type PlacedGrant = readonly [kind: SubjectKind, name: string, grant: Grant];

/** The grants of a binding of `namespace` (empty: of the whole cluster), by the keys of its subjects. */
export function grantsOf(binding: Binding, namespace: string): PlacedGrant[] {
  const {
    metadata: { name = '' },
    roleRef,
    subjects = [],
  } = binding;
  const role = referredRole(roleRef, namespace);
  if (role === undefined) return [];
  const shown =
    namespace === '' ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  return subjects.flatMap((subject) => {
    const place = placeOf(subject, namespace);
    if (place === undefined) return [];
    return [
      [
        ...place,
        {
          binding: shown,
          bindingName: name,
          namespace,
          roleRef,
          roleKey: role,
          subject: describeSubject(subject, namespace),
        },
      ] as const,
    ];
  });
}
