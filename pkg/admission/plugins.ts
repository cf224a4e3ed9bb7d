import { steadyMs } from '../apimachinery/steady-clock.ts';
import { FeatureGates, projectsTokens } from '../options/feature-gates.ts';
import { createOwn } from '../registry/own-writes.ts';
import { alwaysAdmitPlugin } from './always-admit/plugin.ts';
import { alwaysDenyPlugin } from './always-deny/plugin.ts';
import { alwaysPullImagesPlugin } from './always-pull-images/plugin.ts';
import { certificateApprovalPlugin } from './certificate-approval/plugin.ts';
import { certificateSigningPlugin } from './certificate-signing/plugin.ts';
import { certificateSubjectRestrictionPlugin } from './certificate-subject-restriction/plugin.ts';
import { defaultIngressClassPlugin } from './default-ingress-class/plugin.ts';
import { defaultStorageClassPlugin } from './default-storage-class/plugin.ts';
import { defaultTolerationSecondsPlugin } from './default-toleration-seconds/plugin.ts';
import { denyEscalatingExecPlugin } from './deny-escalating-exec/plugin.ts';
import { denyExecOnPrivilegedPlugin } from './deny-exec-on-privileged/plugin.ts';
import { denyServiceExternalIpsPlugin } from './deny-service-external-ips/plugin.ts';
import { requiredConfiguration } from './enabling-problem.ts';
import { eventLimits } from './event-rate-limit/configuration.ts';
import { eventRateLimitPlugin } from './event-rate-limit/plugin.ts';
import { extendedResourceTolerationPlugin } from './extended-resource-toleration/plugin.ts';
import { imagePolicyConfiguration } from './image-policy-webhook/configuration.ts';
import { imagePolicyWebhookPlugin } from './image-policy-webhook/plugin.ts';
import { initializersPlugin } from './initializers/plugin.ts';
import { limitPodHardAntiAffinityTopologyPlugin } from './limit-pod-hard-anti-affinity-topology/plugin.ts';
import { limitRangerPlugin } from './limit-ranger/plugin.ts';
import { mutatingAdmissionWebhookPlugin } from './mutating-admission-webhook/plugin.ts';
import { namespaceAutoProvisionPlugin } from './namespace-auto-provision/plugin.ts';
import { namespaceExistsPlugin } from './namespace-exists/plugin.ts';
import { namespaceLifecyclePlugin } from './namespace-lifecycle/plugin.ts';
import { nodeRestrictionPlugin } from './node-restriction/plugin.ts';
import { ownerReferencesPermissionEnforcementPlugin } from './owner-references-permission-enforcement/plugin.ts';
import { persistentVolumeClaimResizePlugin } from './persistent-volume-claim-resize/plugin.ts';
import { persistentVolumeLabelPlugin } from './persistent-volume-label/plugin.ts';
import type { PluginRow } from './plugin-context.ts';
import { nodeSelectors } from './pod-node-selector/configuration.ts';
import { podNodeSelectorPlugin } from './pod-node-selector/plugin.ts';
import { podPresetPlugin } from './pod-preset/plugin.ts';
import { podSecurityPolicyPlugin } from './pod-security-policy/plugin.ts';
import { podSecuritySettings } from './pod-security/configuration.ts';
import { podSecurityPlugin } from './pod-security/plugin.ts';
import { clusterTolerations } from './pod-toleration-restriction/configuration.ts';
import { podTolerationRestrictionPlugin } from './pod-toleration-restriction/plugin.ts';
import { priorityPlugin } from './priority/plugin.ts';
import { limitedResources } from './resource-quota/configuration.ts';
import { resourceQuotaPlugin } from './resource-quota/plugin.ts';
import { runtimeClassPlugin } from './runtime-class/plugin.ts';
import { securityContextDenyPlugin } from './security-context-deny/plugin.ts';
import { serviceAccountPlugin } from './service-account/plugin.ts';
import { storageObjectInUseProtectionPlugin } from './storage-object-in-use-protection/plugin.ts';
import { taintNodesByConditionPlugin } from './taint-nodes-by-condition/plugin.ts';
import { validatingAdmissionWebhookPlugin } from './validating-admission-webhook/plugin.ts';

/**
 * Every plugin, in the order in which requests pass them, whatever the order in which options name them: that of
 * release 1.11, and the plugins of later releases where those have them. Nothing that changes objects comes after the
 * webhooks; ResourceQuota and AlwaysDeny stay last.
 */
export const pluginRows: readonly PluginRow[] = [
  { name: 'AlwaysAdmit', defaultOn: false, make: () => alwaysAdmitPlugin() },
  {
    name: 'NamespaceAutoProvision',
    defaultOn: false,
    make: ({ lookup, stores, nowMs }) =>
      namespaceAutoProvisionPlugin(lookup, (name) => createOwn(stores('namespaces'), { metadata: { name } }, nowMs())),
  },
  { name: 'NamespaceLifecycle', defaultOn: true, make: ({ lookup }) => namespaceLifecyclePlugin(lookup) },
  { name: 'NamespaceExists', defaultOn: false, make: ({ lookup }) => namespaceExistsPlugin(lookup) },
  { name: 'SecurityContextDeny', defaultOn: false, make: () => securityContextDenyPlugin() },
  { name: 'LimitPodHardAntiAffinityTopology', defaultOn: false, make: () => limitPodHardAntiAffinityTopologyPlugin() },
  { name: 'PodPreset', defaultOn: false, make: ({ lookup }) => podPresetPlugin(lookup) },
  { name: 'LimitRanger', defaultOn: true, make: ({ lookup }) => limitRangerPlugin(lookup) },
  {
    name: 'ServiceAccount',
    defaultOn: true,
    make: ({ lookup, options }) => serviceAccountPlugin(lookup, { tokensFromSecrets: !projectsTokens(options) }),
  },
  {
    name: 'NodeRestriction',
    defaultOn: false,
    defaultOnWith: 'up',
    make: ({ lookup }) => nodeRestrictionPlugin(lookup),
  },
  { name: 'TaintNodesByCondition', defaultOn: true, make: () => taintNodesByConditionPlugin() },
  { name: 'AlwaysPullImages', defaultOn: false, make: () => alwaysPullImagesPlugin() },
  {
    name: 'ImagePolicyWebhook',
    defaultOn: false,
    make: ({ configuration, options }) =>
      imagePolicyWebhookPlugin(
        imagePolicyConfiguration(requiredConfiguration('ImagePolicyWebhook', { configuration, options })),
        steadyMs,
      ),
  },
  {
    name: 'PodSecurityPolicy',
    defaultOn: false,
    make: ({ lookup, authorizer }) => podSecurityPolicyPlugin(lookup, authorizer),
  },
  {
    name: 'PodSecurity',
    defaultOn: true,
    make: ({ lookup, configuration, podSecurityObserver }) =>
      podSecurityPlugin(lookup, podSecuritySettings(configuration), podSecurityObserver),
  },
  {
    name: 'PodNodeSelector',
    defaultOn: false,
    make: ({ lookup, configuration }) => podNodeSelectorPlugin(lookup, nodeSelectors(configuration)),
  },
  {
    name: 'Priority',
    defaultOn: true,
    gate: 'PodPriority',
    make: ({ lookup, options }) =>
      priorityPlugin(lookup, {
        criticalByAnnotation: FeatureGates.of(options).enabled('ExperimentalCriticalPodAnnotation'),
      }),
  },
  {
    name: 'DefaultTolerationSeconds',
    defaultOn: true,
    make: ({ options }) =>
      defaultTolerationSecondsPlugin({
        notReady: options.int('default-not-ready-toleration-seconds'),
        unreachable: options.int('default-unreachable-toleration-seconds'),
      }),
  },
  {
    name: 'PodTolerationRestriction',
    defaultOn: false,
    make: ({ lookup, configuration }) => podTolerationRestrictionPlugin(lookup, clusterTolerations(configuration)),
  },
  { name: 'DenyEscalatingExec', defaultOn: false, make: ({ lookup }) => denyEscalatingExecPlugin(lookup) },
  { name: 'DenyExecOnPrivileged', defaultOn: false, make: ({ lookup }) => denyExecOnPrivilegedPlugin(lookup) },
  {
    name: 'EventRateLimit',
    defaultOn: false,
    make: ({ configuration, options }) =>
      eventRateLimitPlugin(eventLimits(requiredConfiguration('EventRateLimit', { configuration, options })), steadyMs),
  },
  { name: 'ExtendedResourceToleration', defaultOn: false, make: () => extendedResourceTolerationPlugin() },
  { name: 'PersistentVolumeLabel', defaultOn: false, make: () => persistentVolumeLabelPlugin() },
  { name: 'DefaultStorageClass', defaultOn: true, make: ({ lookup }) => defaultStorageClassPlugin(lookup) },
  {
    name: 'StorageObjectInUseProtection',
    defaultOn: true,
    gate: 'StorageObjectInUseProtection',
    make: () => storageObjectInUseProtectionPlugin(),
  },
  {
    name: 'OwnerReferencesPermissionEnforcement',
    defaultOn: false,
    make: ({ authorizer, stores }) =>
      ownerReferencesPermissionEnforcementPlugin(authorizer, () => stores('namespaces').scheme.resources),
  },
  {
    name: 'PersistentVolumeClaimResize',
    defaultOn: true,
    make: ({ lookup }) => persistentVolumeClaimResizePlugin(lookup),
  },
  { name: 'RuntimeClass', defaultOn: true, make: ({ lookup }) => runtimeClassPlugin(lookup) },
  { name: 'CertificateApproval', defaultOn: true, make: ({ authorizer }) => certificateApprovalPlugin(authorizer) },
  { name: 'CertificateSigning', defaultOn: true, make: ({ authorizer }) => certificateSigningPlugin(authorizer) },
  { name: 'CertificateSubjectRestriction', defaultOn: true, make: () => certificateSubjectRestrictionPlugin() },
  { name: 'DefaultIngressClass', defaultOn: true, make: ({ lookup }) => defaultIngressClassPlugin(lookup) },
  { name: 'DenyServiceExternalIPs', defaultOn: false, make: () => denyServiceExternalIpsPlugin() },
  { name: 'MutatingAdmissionWebhook', defaultOn: true, make: (context) => mutatingAdmissionWebhookPlugin(context) },
  { name: 'Initializers', defaultOn: false, make: () => initializersPlugin() },
  { name: 'ValidatingAdmissionWebhook', defaultOn: true, make: (context) => validatingAdmissionWebhookPlugin(context) },
  {
    name: 'ResourceQuota',
    defaultOn: true,
    make: ({ stores, configuration, nowMs, onError }) =>
      resourceQuotaPlugin(stores, { limited: limitedResources(configuration), nowMs, onError }),
  },
  { name: 'AlwaysDeny', defaultOn: false, make: () => alwaysDenyPlugin() },
];
