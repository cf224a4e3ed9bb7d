import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import {
  failureStatus,
  forbidden,
  notFound,
  serviceUnavailable,
  StatusError,
  type GroupResource,
} from '../../apimachinery/errors/status-error.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { RBAC_GROUP } from '../../api/rbac/rbac-group.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { ClusterRole, PolicyRule, Role, RoleRef } from '../../generated/types/rbac-v1.ts';
import { aggregateMessage } from '../aggregate-message.ts';
import type { AuthorizationAttributes, Authorizer } from '../authorizer.ts';
import { isMaster } from '../system-masters.ts';
import { UndecidedError } from '../union/authorizer.ts';
import { missingRules, TooManyCombinationsError } from './covers.ts';
import type { Binding } from './grant.ts';
import type { PolicyIndex } from './policy-index.ts';
import { quotedList, ruleLines } from './rule-text.ts';

/** A user's write of a role or binding. */
export interface PolicyWrite<T extends ApiObject> {
  readonly user: UserInfo;
  readonly resource: GroupResource;
  /** Empty for cluster-wide objects. */
  readonly namespace: string;
  /** Name in the request's path; empty where that is of the collection. */
  readonly requestName: string;
  readonly object: T;
  /** Undefined for creates. */
  readonly old: T | undefined;
}

export interface EscalationParts {
  readonly index: PolicyIndex;
  readonly authorizer: Authorizer;
  /** Brings the index up to every write acknowledged so far; false when that takes too long. */
  readonly fresh: () => Promise<boolean>;
}

/** Missing rules that an answer lists. */
const LINES_MAX = 1000;

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Keeps users from granting rights that they do not have: a user who writes a role must hold its rules, or the verb
 * `escalate` on it; a user who writes a binding must hold its role's rules, or the verb `bind` on it. Throws the
 * StatusError of a refusal.
 */
export class EscalationChecks {
  private readonly parts: EscalationParts;

  constructor(parts: EscalationParts) {
    this.parts = parts;
  }

  /** Checks a Role or ClusterRole. */
  async checkRole(write: PolicyWrite<Role | ClusterRole>): Promise<void> {
    const { user, resource, namespace, requestName, object, old } = write;
    if (isMaster(user) || changesOwnershipAlone(object, old)) return;
    if (
      await this.mayDo(user, 'escalate', {
        apiGroup: resource.group,
        resource: resource.resource,
        namespace,
        name: requestName,
      })
    )
      return;
    await this.confirmHeld(write, object.rules ?? []);
    if (!aggregates(object) && !aggregates(old)) return;
    const missing = missingRules(this.parts.index.rulesFor(user, namespace).rules, everything);
    if (missing.length > 0)
      throw forbidden(
        resource,
        object.metadata.name ?? '',
        'must have cluster-admin privileges to use the aggregationRule',
      );
  }

  /** Checks a RoleBinding or ClusterRoleBinding. */
  async checkBinding(write: PolicyWrite<ApiObject & Binding>): Promise<void> {
    const { user, namespace, object, old } = write;
    const { apiGroup, kind, name } = object.roleRef;
    if (isMaster(user) || changesOwnershipAlone(object, old)) return;
    const resource = resourceOf(kind);
    if (resource === undefined)
      throw new StatusError(failureStatus(500, '', `unsupported role reference kind: ${goQuote(kind)}`));
    if (await this.mayDo(user, 'bind', { apiGroup, resource, namespace, name })) return;
    await this.catchUp();
    const rules = this.parts.index.rulesOf(kind, namespace, name);
    if (rules === undefined) throw absentRole(object.roleRef);
    await this.confirmHeld(write, rules);
  }

  private async mayDo(
    user: UserInfo,
    verb: string,
    what: Pick<AuthorizationAttributes, 'apiGroup' | 'resource' | 'namespace' | 'name'>,
  ): Promise<boolean> {
    try {
      const { decision } = await this.parts.authorizer.authorize({
        ...what,
        user,
        verb,
        isResource: true,
        apiVersion: '*',
        subresource: '',
        path: '',
      });
      return decision === 'allow';
    } catch (error) {
      // No authorizer could decide: then the rules that the user holds decide.
      if (error instanceof UndecidedError) return false;
      throw error;
    }
  }

  private async confirmHeld(
    { user, resource, namespace, object }: PolicyWrite<ApiObject>,
    wanted: readonly PolicyRule[],
  ): Promise<void> {
    await this.catchUp();
    const held = this.parts.index.rulesFor(user, namespace);
    const refusal = (what: string): StatusError =>
      forbidden(
        resource,
        object.metadata.name ?? '',
        `user ${goQuote(user.name)} (groups=${quotedList(user.groups)}) is attempting to grant ${what}`,
      );
    let missing: readonly PolicyRule[];
    try {
      missing = missingRules(held.rules, wanted);
    } catch (error) {
      if (error instanceof TooManyCombinationsError)
        throw refusal(`RBAC permissions that cannot be compared with those currently held: ${error.message}`);
      throw error;
    }
    if (missing.length === 0) return;
    const absent = held.absent.map(({ roleRef }) => absentRole(roleRef).message);
    const errors = absent.length === 0 ? '' : `; resolution errors: [${aggregateMessage(absent)}]`;
    throw refusal(`RBAC permissions not currently held:\n${listed(ruleLines(missing))}${errors}`);
  }

  private async catchUp(): Promise<void> {
    if (!(await this.parts.fresh()))
      throw serviceUnavailable('the roles of this server are not known to be current, please try again');
  }
}

function listed(lines: readonly string[]): string {
  return [
    ...lines.slice(0, LINES_MAX),
    ...(lines.length > LINES_MAX ? [`and ${lines.length - LINES_MAX} more`] : []),
  ].join('\n');
}

function resourceOf(kind: string): 'clusterroles' | 'roles' | undefined {
  return kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined;
}

function absentRole({ kind, name }: RoleRef): StatusError {
  return notFound({ group: RBAC_GROUP, resource: resourceOf(kind) ?? '' }, name);
}

/** Updates by a garbage collector to an object that is being deleted grant nothing. */
function changesOwnershipAlone(object: ApiObject, old: ApiObject | undefined): boolean {
  if (old === undefined) return false;
  const { ownerReferences, finalizers, managedFields } = old.metadata;
  return semanticDeepEqual(
    { ...object, metadata: { ...object.metadata, ownerReferences, finalizers, managedFields } },
    old,
  );
}

/**
 * An aggregating role can collect any rules, and a change of it can remove rules from users: any change of one counts,
 * as in stock servers.
 */
function aggregates(role: Role | ClusterRole | undefined): boolean {
  return (
    role !== undefined && 'aggregationRule' in role && (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0
  );
}
