import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import type { PodSpec } from '../../generated/types/core-v1.ts';
import * as baseline from './checks/baseline.ts';
import type { Check, Violation } from './checks/check.ts';
import * as restricted from './checks/restricted.ts';
import type { LevelVersion } from './level.ts';

/** A rule with the first release, 1.x, whose policy has it. */
interface Rule {
  readonly check: Check;
  readonly since: number;
  /** The stricter rule of the level above includes it, from this release of the policy on. */
  readonly replacedSince?: number;
}

/** The newest release in which rules differ; `latest` is that of the fields which this server knows. */
const LATEST = 1000;

/** In the order in which clients read them. */
const BASELINE: readonly Rule[] = [
  { check: baseline.appArmorProfile, since: 0 },
  { check: baseline.appArmorProfileField, since: 0 },
  { check: baseline.capabilities, since: 0, replacedSince: 22 },
  { check: baseline.hostNamespaces, since: 0 },
  { check: baseline.hostPathVolumes, since: 0, replacedSince: 0 },
  { check: baseline.hostPorts, since: 0 },
  { check: baseline.privileged, since: 0 },
  { check: baseline.procMount, since: 0 },
  { check: baseline.seLinuxOptions, since: 0 },
  { check: baseline.seccompProfile, since: 0, replacedSince: 19 },
  { check: baseline.sysctls, since: 0 },
  { check: baseline.windowsHostProcess, since: 0 },
];
const RESTRICTED: readonly Rule[] = [
  { check: restricted.allowPrivilegeEscalation, since: 8 },
  { check: restricted.capabilities, since: 22 },
  { check: restricted.volumes, since: 0 },
  { check: restricted.runAsNonRoot, since: 0 },
  { check: restricted.runAsUser, since: 23 },
  { check: restricted.seccompProfile, since: 19 },
];

/** Every violation of a level by a pod. */
export function violationsOf({ level, version }: LevelVersion, metadata: ObjectMeta, spec: PodSpec): Violation[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? LATEST : version;
  const isReplaced = (rule: Rule): boolean =>
    level === 'restricted' && rule.replacedSince !== undefined && minor >= rule.replacedSince;
  const rules = level === 'baseline' ? BASELINE : [...BASELINE.filter((rule) => !isReplaced(rule)), ...RESTRICTED];
  return rules.filter(({ since }) => minor >= since).flatMap(({ check }) => check(metadata, spec, minor) ?? []);
}

/** `privileged (container "c" must not set securityContext.privileged=true), hostPort (...)`. */
export function violationDetails(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}

/** The kinds alone. */
export function violationReasons(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}
