import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import { aggregateMessage } from '../aggregate-message.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer, SubjectRules } from '../authorizer.ts';
import { roleQuestion } from './compiled-role.ts';
import { DecisionMemory } from './decision-memory.ts';
import { reasonOf, type Grant } from './grant.ts';
import { missingRole, type PolicyIndex } from './policy-index.ts';

/**
 * Texts in the rules that one answer lists: a user who may write roles can make any number of rules, and every user may
 * list their own.
 */
const LISTED_TEXTS_MAX = 50_000;

/**
 * Mode RBAC: allows what some role of the user allows, in the cluster or in the request's namespace. Never denies for
 * other modes.
 */
export function rbacAuthorizer(index: PolicyIndex): Authorizer {
  const memory = new DecisionMemory();
  return {
    name: 'RBAC',
    authorize: (attributes) =>
      (attributes.isResource ? memory.recall(attributes, index.version) : undefined) ??
      decide(index, memory, attributes),
    rulesFor(user, namespace) {
      const { rules, absent } = index.rulesFor(user, namespace);
      const first = firstRules(rules);
      const problems = [
        ...absent.map(missingRole),
        ...(first === rules ? [] : [`only ${first.length} of ${rules.length} rules are listed`]),
      ];
      return {
        ...shownRules(first),
        incomplete: first !== rules,
        ...(problems.length === 0 ? {} : { evaluationError: aggregateMessage(problems) }),
      };
    },
  };
}

function decide(
  index: PolicyIndex,
  memory: DecisionMemory,
  attributes: AuthorizationAttributes,
): AuthorizationDecision {
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

/** As many rules as one answer may list; the same array where that is all of them. */
function firstRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  let texts = 0;
  const end = rules.findIndex(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => {
    texts += [verbs, apiGroups, resources, resourceNames, nonResourceURLs].reduce(
      (sum, list) => sum + (list?.length ?? 0),
      1,
    );
    return texts > LISTED_TEXTS_MAX;
  });
  return end < 0 ? rules : rules.slice(0, end);
}

function shownRules(rules: readonly PolicyRule[]): Pick<SubjectRules, 'resourceRules' | 'nonResourceRules'> {
  return {
    resourceRules: rules
      .filter(({ resources }) => resources !== undefined && resources.length > 0)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames }) => ({
        verbs: verbs ?? [],
        apiGroups,
        resources,
        ...(resourceNames === undefined || resourceNames.length === 0 ? {} : { resourceNames }),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs !== undefined && nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs = [] }) => ({
        verbs: verbs ?? [],
        nonResourceURLs,
      })),
  };
}
