/** From the most to the least permissive. */
export const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof LEVELS)[number];

/** The minor number of release 1.x, or the newest there is. */
export type PolicyVersion = number | 'latest';

export interface LevelVersion {
  readonly level: Level;
  readonly version: PolicyVersion;
}

/** The policies of a namespace: refusals, audit annotations, and warnings. */
export interface PodSecurityPolicies {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export const MODES = ['enforce', 'audit', 'warn'] as const;

export function isLevel(text: string): text is Level {
  return (LEVELS as readonly string[]).includes(text);
}

/** Parses `latest` or `v1.25`; undefined for other texts. */
export function parsePolicyVersion(text: string): PolicyVersion | undefined {
  if (text === 'latest') return 'latest';
  const match = /^v1\.(0|[1-9][0-9]{0,8})$/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** `restricted:latest`, `baseline:v1.24`. */
export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? 'latest' : `v1.${version}`}`;
}

export function isSame(one: LevelVersion, other: LevelVersion): boolean {
  return one.level === other.level && one.version === other.version;
}
