import type { AuditLevel, AuditStage } from '../event.ts';

/** Resources of one API group. */
export interface GroupResources {
  readonly group: string;
  /**
   * A resource, with a subresource after a slash where one is meant; a star for either or both. Empty: all of the
   * group.
   */
  readonly resources: readonly string[];
  /** Empty: all. */
  readonly resourceNames: readonly string[];
}

/** Says at which level requests are written down that fit all of its conditions. An empty condition fits everything. */
export interface PolicyRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  /** The empty name stands for what is in no namespace. */
  readonly namespaces: readonly string[];
  /** `/metrics`, `/healthz*`, `*`. */
  readonly nonResourceUrls: readonly string[];
  /** In addition to those of the policy. */
  readonly omitStages: readonly AuditStage[];
  /** Absent: as the policy says. */
  readonly omitManagedFields: boolean | undefined;
}

/**
 * What is written down about requests. The first rule that fits one decides; one that none fits is not written down.
 */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}
