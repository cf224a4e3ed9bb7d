import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import { aggregateMessage } from '../aggregate-message.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer, SubjectRules } from '../authorizer.ts';
import { roleQuestion } from './compiled-role.ts';
import { DecisionMemory } from './decision-memory.ts';
import { reasonOf, type Grant } from './grant.ts';
import { missingRole, type PolicyIndex } from './policy-index.ts';

/** Mode RBAC: lets through what some role of the user allows, in the cluster or in the request's namespace. Never says no for others. */
export function rbacAuthorizer(index: PolicyIndex): Authorizer {
  const memory = new DecisionMemory();
  return {
    name: 'RBAC',
    authorize: (attributes) => (attributes.isResource ? memory.recall(attributes, index.version) : undefined) ?? decide(index, memory, attributes),
    rulesFor(user, namespace) {
      const { rules, absent } = index.rulesFor(user, namespace);
      return { ...shownRules(rules), incomplete: false, ...(absent.length === 0 ? {} : { evaluationError: aggregateMessage(absent.map(missingRole)) }) };
    },
  };
}

function decide(index: PolicyIndex, memory: DecisionMemory, attributes: AuthorizationAttributes): AuthorizationDecision {
  const question = roleQuestion(attributes);
  let allowedBy: Grant | undefined;
  let missing: string[] | undefined;
  let isByName = false;
  index.visit(attributes.user, attributes.namespace, (grant, role) => {
    if (role === undefined) (missing ??= []).push(missingRole(grant));
    else {
      if (role.allows(question)) allowedBy = grant;
      isByName ||= role.isByName;
    }
    return allowedBy === undefined;
  });
  const decision = decisionOf(allowedBy, missing);
  if (attributes.isResource && !isByName) memory.keep(attributes, decision);
  return decision;
}

function decisionOf(allowedBy: Grant | undefined, missing: readonly string[] | undefined): AuthorizationDecision {
  if (allowedBy !== undefined) return { decision: 'allow', reason: reasonOf(allowedBy) };
  return { decision: 'no-opinion', reason: missing === undefined ? '' : `RBAC: ${aggregateMessage(missing)}` };
}

function shownRules(rules: readonly PolicyRule[]): Pick<SubjectRules, 'resourceRules' | 'nonResourceRules'> {
  return {
    resourceRules: rules.filter(({ resources }) => resources !== undefined && resources.length > 0).map(({ verbs, apiGroups = [], resources = [], resourceNames }) => ({
      verbs: verbs ?? [], apiGroups, resources, ...(resourceNames === undefined || resourceNames.length === 0 ? {} : { resourceNames }),
    })),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs !== undefined && nonResourceURLs.length > 0).map(({ verbs, nonResourceURLs = [] }) => ({
      verbs: verbs ?? [], nonResourceURLs,
    })),
  };
}
