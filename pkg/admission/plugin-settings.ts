import { FeatureGates, projectsTokens } from '../options/feature-gates.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';
import { eventLimits, type Limit } from './event-rate-limit/configuration.ts';
import { imagePolicyConfiguration, type ImagePolicyConfiguration } from './image-policy-webhook/configuration.ts';
import { nodeSelectors, type NodeSelectors } from './pod-node-selector/configuration.ts';
import { podSecuritySettings, type PodSecuritySettings } from './pod-security/configuration.ts';
import { clusterTolerations, type ClusterTolerations } from './pod-toleration-restriction/configuration.ts';
import { limitedResources, type LimitedResource } from './resource-quota/configuration.ts';
import { webhookCredentials, type WebhookCredentials } from './webhook/webhook-credentials.ts';

/** What a plugin's settings are read from. */
export interface PluginSource {
  /** The plugin's section of `--admission-control-config-file`, parsed; undefined when there is none. */
  readonly configuration: unknown;
  readonly options: OptionValues;
}

/** The settings of both plugins of webhooks. */
export interface WebhookSettings {
  readonly credentials: WebhookCredentials;
  /** `--enable-aggregator-routing`: calls go to endpoints of services, not to their cluster IPs. */
  readonly toEndpoints: boolean;
}

/** Settings of the plugins that have any, by name: plain data. */
export interface PluginSettings {
  readonly ServiceAccount: { readonly tokensFromSecrets: boolean };
  readonly ImagePolicyWebhook: ImagePolicyConfiguration;
  readonly PodSecurity: PodSecuritySettings;
  readonly PodNodeSelector: NodeSelectors;
  readonly Priority: { readonly criticalByAnnotation: boolean };
  readonly DefaultTolerationSeconds: { readonly notReady: number; readonly unreachable: number };
  readonly PodTolerationRestriction: ClusterTolerations;
  readonly EventRateLimit: readonly Limit[];
  readonly MutatingAdmissionWebhook: WebhookSettings;
  readonly ValidatingAdmissionWebhook: WebhookSettings;
  readonly ResourceQuota: readonly LimitedResource[];
}

type Readers = { readonly [Name in keyof PluginSettings]: (source: PluginSource) => PluginSettings[Name] };

/** How the settings of each are read. One throws when its configuration is wrong: the server does not start then. */
export const settingsReaders: Readers = {
  ServiceAccount: ({ options }) => ({ tokensFromSecrets: !projectsTokens(options) }),
  ImagePolicyWebhook: (source) => imagePolicyConfiguration(requiredConfiguration('ImagePolicyWebhook', source)),
  PodSecurity: ({ configuration }) => podSecuritySettings(configuration),
  PodNodeSelector: ({ configuration }) => nodeSelectors(configuration),
  Priority: ({ options }) => ({
    criticalByAnnotation: FeatureGates.of(options).enabled('ExperimentalCriticalPodAnnotation'),
  }),
  DefaultTolerationSeconds: ({ options }) => ({
    notReady: options.int('default-not-ready-toleration-seconds'),
    unreachable: options.int('default-unreachable-toleration-seconds'),
  }),
  PodTolerationRestriction: ({ configuration }) => clusterTolerations(configuration),
  EventRateLimit: (source) => eventLimits(requiredConfiguration('EventRateLimit', source)),
  MutatingAdmissionWebhook: webhookSettings,
  ValidatingAdmissionWebhook: webhookSettings,
  ResourceQuota: ({ configuration }) => limitedResources(configuration),
};

function webhookSettings({ configuration, options }: PluginSource): WebhookSettings {
  return {
    credentials: webhookCredentials(configuration, options),
    toEndpoints: options.bool('enable-aggregator-routing'),
  };
}

/** Why a configured plugin cannot run. */
function enablingProblem(options: OptionValues, plugin: string, rule: string): OptionsError {
  const option = options.list('admission-control').includes(plugin) ? 'admission-control' : 'enable-admission-plugins';
  return new OptionsError([optionProblem(option, options.list(option).join(','), `${plugin}: ${rule}`)]);
}

/** The section of a plugin that does nothing without one. Throws `OptionsError` where there is none. */
function requiredConfiguration(plugin: string, { configuration, options }: PluginSource): unknown {
  if (configuration === undefined)
    throw enablingProblem(options, plugin, 'needs its configuration in the file of --admission-control-config-file');
  return configuration;
}
