import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { isLevel, MODES, parsePolicyVersion, type LevelVersion, type PodSecurityPolicies } from './level.ts';

const PREFIX = 'pod-security.kubernetes.io/';

/**
 * The policies of a namespace's labels. An invalid label counts as the strictest refusal, and as no audit and no
 * warning.
 */
export function policiesOf(
  labels: Record<string, string> | undefined,
  defaults: PodSecurityPolicies,
): { policies: PodSecurityPolicies; errors: FieldErrors } {
  const errors = new FieldErrors();
  const [enforce, audit, warn] = MODES.map((mode) => policyOf(mode, labels, defaults[mode], errors)) as [
    LevelVersion,
    LevelVersion,
    LevelVersion,
  ];
  return { policies: { enforce, audit, warn }, errors };
}

function policyOf(
  mode: (typeof MODES)[number],
  labels: Record<string, string> | undefined,
  byDefault: LevelVersion,
  errors: FieldErrors,
): LevelVersion {
  const path = field('metadata', 'labels');
  let { level, version } = byDefault;
  const levelLabel = `${PREFIX}${mode}`;
  const asked = getKey<string>(labels, levelLabel);
  if (asked !== undefined) {
    if (!isLevel(asked)) errors.invalid(path.key(levelLabel), asked, 'must be one of privileged, baseline, restricted');
    level = isLevel(asked) ? asked : mode === 'enforce' ? 'restricted' : 'privileged';
  }
  const versionLabel = `${PREFIX}${mode}-version`;
  const release = getKey<string>(labels, versionLabel);
  if (release !== undefined) {
    const parsed = parsePolicyVersion(release);
    if (parsed === undefined) errors.invalid(path.key(versionLabel), release, 'must be "latest" or "v1.x"');
    version = parsed ?? 'latest';
  }
  return { level, version };
}
