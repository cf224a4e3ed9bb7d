import { ConfigurationSection } from '../configuration-section.ts';
import { isLevel, parsePolicyVersion, type LevelVersion, type PodSecurityPolicies } from './level.ts';

/** The operator's settings for pod security. */
export interface PodSecuritySettings {
  readonly defaults: PodSecurityPolicies;
  readonly exemptUsers: ReadonlySet<string>;
  readonly exemptNamespaces: ReadonlySet<string>;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
}

const KINDS = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version) => `pod-security.admission.config.k8s.io/${version}, PodSecurityConfiguration`,
);

/**
 * Reads `{defaults: {enforce, enforce-version, ...}, exemptions: {usernames, namespaces, runtimeClasses}}`; throws
 * Error where it is not of this form.
 */
export function podSecuritySettings(configuration: unknown): PodSecuritySettings {
  const section =
    configuration === undefined
      ? new ConfigurationSection(undefined)
      : ConfigurationSection.ofKind(configuration, KINDS);
  const defaults = section.section('defaults');
  const exemptions = section.section('exemptions');
  return {
    defaults: {
      enforce: policyOf(defaults, 'enforce'),
      audit: policyOf(defaults, 'audit'),
      warn: policyOf(defaults, 'warn'),
    },
    exemptUsers: new Set(exemptions.texts('usernames')),
    exemptNamespaces: new Set(exemptions.texts('namespaces')),
    exemptRuntimeClasses: new Set(exemptions.texts('runtimeClasses')),
  };
}

function policyOf(defaults: ConfigurationSection, mode: string): LevelVersion {
  const level = defaults.text(mode) || 'privileged';
  const release = defaults.text(`${mode}-version`) || 'latest';
  if (!isLevel(level)) throw new Error(`${defaults.at(mode)} must be one of privileged, baseline, restricted`);
  const version = parsePolicyVersion(release);
  if (version === undefined) throw new Error(`${defaults.at(`${mode}-version`)} must be "latest" or "v1.x"`);
  return { level, version };
}
