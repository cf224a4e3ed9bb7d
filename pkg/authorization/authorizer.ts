import type { UserInfo } from '../api/resource-definition.ts';

/** The attributes of a request. Made from the RequestInfo by which the request is executed, or from a review. */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or a special verb (`bind`,
   * `impersonate`, `use`); for other paths the method in lower case.
   */
  readonly verb: string;
  readonly isResource: boolean;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for cluster-wide resources and requests over all namespaces. */
  readonly namespace: string;
  /** Empty where the request names no object. */
  readonly name: string;
  /**
   * The node to which a list, a watch or the deletion of a collection is limited by a field selector for
   * `spec.nodeName`.
   */
  readonly selectedNode?: string;
  /** The path of a non-resource request. */
  readonly path: string;
}

/** `no-opinion` leaves the decision to the next authorizer; after the last one the request is denied. */
export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  /** For the audit annotation and the end of the 403 message; may be empty. */
  readonly reason: string;
}

/** A rule as SelfSubjectRulesReview shows it. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}
export interface SubjectRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Some authorizer cannot list its rules, or failed to. */
  readonly incomplete: boolean;
  /** The reason, for people. */
  readonly evaluationError?: string;
}

/**
 * One authorization mode: one folder each. Synchronous where no network is needed. Its own failure is thrown and
 * answered with 500.
 */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: AuthorizationAttributes): Promise<AuthorizationDecision> | AuthorizationDecision;
  /** A user's rules in a namespace, as far as this mode can list them. */
  rulesFor(user: UserInfo, namespace: string): Promise<SubjectRules> | SubjectRules;
}
