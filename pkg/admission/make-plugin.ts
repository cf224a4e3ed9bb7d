import { namespaces } from '../api/core/tokens.ts';
import { steadyMs } from '../apimachinery/steady-clock.ts';
import { createOwn } from '../registry/own-writes.ts';
import type { AdmissionPlugin } from './admission.ts';
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
import { eventRateLimitPlugin } from './event-rate-limit/plugin.ts';
import { extendedResourceTolerationPlugin } from './extended-resource-toleration/plugin.ts';
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
import type { PluginContext } from './plugin-context.ts';
import type { PluginName } from './plugins.ts';
import { podNodeSelectorPlugin } from './pod-node-selector/plugin.ts';
import { podPresetPlugin } from './pod-preset/plugin.ts';
import { podSecurityPolicyPlugin } from './pod-security-policy/plugin.ts';
import { podSecurityPlugin } from './pod-security/plugin.ts';
import { podTolerationRestrictionPlugin } from './pod-toleration-restriction/plugin.ts';
import { podTopologyLabelsPlugin } from './pod-topology-labels/plugin.ts';
import { priorityPlugin } from './priority/plugin.ts';
import { resourceQuotaPlugin } from './resource-quota/plugin.ts';
import { runtimeClassPlugin } from './runtime-class/plugin.ts';
import { securityContextDenyPlugin } from './security-context-deny/plugin.ts';
import { serviceAccountPlugin } from './service-account/plugin.ts';
import { storageObjectInUseProtectionPlugin } from './storage-object-in-use-protection/plugin.ts';
import { taintNodesByConditionPlugin } from './taint-nodes-by-condition/plugin.ts';
import { validatingAdmissionWebhookPlugin } from './validating-admission-webhook/plugin.ts';

type Maker = (context: PluginContext) => AdmissionPlugin;

/** How each plugin of the table is made. Settings are there for all that run and have any (`plugin-settings.ts`). */
const makers: Readonly<Record<PluginName, Maker>> = {
  AlwaysAdmit: () => alwaysAdmitPlugin(),
  NamespaceAutoProvision: ({ lookup, stores, nowMs }) =>
    namespaceAutoProvisionPlugin(lookup, (name) => createOwn(stores(namespaces), { metadata: { name } }, nowMs())),
  NamespaceLifecycle: ({ lookup }) => namespaceLifecyclePlugin(lookup),
  NamespaceExists: ({ lookup }) => namespaceExistsPlugin(lookup),
  SecurityContextDeny: () => securityContextDenyPlugin(),
  LimitPodHardAntiAffinityTopology: () => limitPodHardAntiAffinityTopologyPlugin(),
  PodPreset: ({ lookup }) => podPresetPlugin(lookup),
  LimitRanger: ({ lookup }) => limitRangerPlugin(lookup),
  ServiceAccount: ({ lookup, settings }) => serviceAccountPlugin(lookup, settings.ServiceAccount!),
  NodeRestriction: ({ lookup }) => nodeRestrictionPlugin(lookup),
  TaintNodesByCondition: () => taintNodesByConditionPlugin(),
  AlwaysPullImages: () => alwaysPullImagesPlugin(),
  ImagePolicyWebhook: ({ settings, webhookObserver }) =>
    imagePolicyWebhookPlugin(settings.ImagePolicyWebhook!, steadyMs, webhookObserver.webhookCertificates),
  PodSecurityPolicy: ({ lookup, authorizer }) => podSecurityPolicyPlugin(lookup, authorizer),
  PodSecurity: ({ lookup, settings, podSecurityObserver }) =>
    podSecurityPlugin(lookup, settings.PodSecurity!, podSecurityObserver),
  PodNodeSelector: ({ lookup, settings }) => podNodeSelectorPlugin(lookup, settings.PodNodeSelector!),
  Priority: ({ lookup, settings }) => priorityPlugin(lookup, settings.Priority!),
  DefaultTolerationSeconds: ({ settings }) => defaultTolerationSecondsPlugin(settings.DefaultTolerationSeconds!),
  PodTolerationRestriction: ({ lookup, settings }) =>
    podTolerationRestrictionPlugin(lookup, settings.PodTolerationRestriction!),
  DenyEscalatingExec: ({ lookup }) => denyEscalatingExecPlugin(lookup),
  DenyExecOnPrivileged: ({ lookup }) => denyExecOnPrivilegedPlugin(lookup),
  EventRateLimit: ({ settings }) => eventRateLimitPlugin(settings.EventRateLimit!, steadyMs),
  ExtendedResourceToleration: () => extendedResourceTolerationPlugin(),
  PersistentVolumeLabel: () => persistentVolumeLabelPlugin(),
  DefaultStorageClass: ({ lookup }) => defaultStorageClassPlugin(lookup),
  StorageObjectInUseProtection: () => storageObjectInUseProtectionPlugin(),
  OwnerReferencesPermissionEnforcement: ({ authorizer, stores }) =>
    ownerReferencesPermissionEnforcementPlugin(authorizer, () => stores(namespaces).scheme.resources),
  PersistentVolumeClaimResize: ({ lookup }) => persistentVolumeClaimResizePlugin(lookup),
  RuntimeClass: ({ lookup }) => runtimeClassPlugin(lookup),
  CertificateApproval: ({ authorizer }) => certificateApprovalPlugin(authorizer),
  CertificateSigning: ({ authorizer }) => certificateSigningPlugin(authorizer),
  CertificateSubjectRestriction: () => certificateSubjectRestrictionPlugin(),
  DefaultIngressClass: ({ lookup }) => defaultIngressClassPlugin(lookup),
  DenyServiceExternalIPs: () => denyServiceExternalIpsPlugin(),
  PodTopologyLabels: ({ lookup }) => podTopologyLabelsPlugin(lookup),
  MutatingAdmissionWebhook: (context) =>
    mutatingAdmissionWebhookPlugin(context, context.settings.MutatingAdmissionWebhook!),
  Initializers: () => initializersPlugin(),
  ValidatingAdmissionWebhook: (context) =>
    validatingAdmissionWebhookPlugin(context, context.settings.ValidatingAdmissionWebhook!),
  ResourceQuota: ({ stores, settings, nowMs, onError }) =>
    resourceQuotaPlugin(stores, { limited: settings.ResourceQuota!, nowMs, onError }),
  AlwaysDeny: () => alwaysDenyPlugin(),
};

export function makePlugin(name: PluginName, context: PluginContext): AdmissionPlugin {
  return makers[name](context);
}
