import type { AuditLevel, AuditStage } from '../event.ts';

/** Resources of one API group. */
export interface GroupResources {
  readonly group: string;
  /** A resource, or `resource/subresource`; a star for either or both. Empty: all of the group. */
  readonly resources: readonly string[];
  /** Empty: all. */
  readonly resourceNames: readonly string[];
}

/** The level of requests that match all of the rule's conditions. An empty condition matches everything. */
export interface PolicyRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  /** The empty name matches cluster-scoped requests. */
  readonly namespaces: readonly string[];
  /** `/metrics`, `/healthz*`, `*`. */
  readonly nonResourceUrls: readonly string[];
  /** In addition to those of the policy. */
  readonly omitStages: readonly AuditStage[];
  /** Absent: as the policy says. */
  readonly omitManagedFields: boolean | undefined;
}

/**
 * Which requests are audited, and how. The first rule that matches decides; a request without a matching rule is not
 * recorded.
 */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}
