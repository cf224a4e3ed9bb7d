/**
 * Every admission plugin, in the order in which they run, regardless of the order in options: that of release 1.11, and
 * the plugins of later releases where those have them. No plugin that changes objects comes after the webhooks;
 * ResourceQuota and AlwaysDeny stay last. Options, their help and `make-plugin.ts` follow from this table.
 */
export const admissionPlugins = [
  { name: 'AlwaysAdmit', defaultOn: false },
  { name: 'NamespaceAutoProvision', defaultOn: false },
  { name: 'NamespaceLifecycle', defaultOn: true },
  { name: 'NamespaceExists', defaultOn: false },
  { name: 'SecurityContextDeny', defaultOn: false },
  { name: 'LimitPodHardAntiAffinityTopology', defaultOn: false },
  { name: 'PodPreset', defaultOn: false },
  { name: 'LimitRanger', defaultOn: true },
  { name: 'ServiceAccount', defaultOn: true },
  { name: 'NodeRestriction', defaultOn: false, defaultOnWith: 'up' },
  { name: 'TaintNodesByCondition', defaultOn: true },
  { name: 'AlwaysPullImages', defaultOn: false },
  { name: 'ImagePolicyWebhook', defaultOn: false },
  { name: 'PodSecurityPolicy', defaultOn: false },
  { name: 'PodSecurity', defaultOn: true },
  { name: 'PodNodeSelector', defaultOn: false },
  { name: 'Priority', defaultOn: true, gate: 'PodPriority' },
  { name: 'DefaultTolerationSeconds', defaultOn: true },
  { name: 'PodTolerationRestriction', defaultOn: false },
  { name: 'DenyEscalatingExec', defaultOn: false },
  { name: 'DenyExecOnPrivileged', defaultOn: false },
  { name: 'EventRateLimit', defaultOn: false },
  { name: 'ExtendedResourceToleration', defaultOn: false },
  { name: 'PersistentVolumeLabel', defaultOn: false },
  { name: 'DefaultStorageClass', defaultOn: true },
  { name: 'StorageObjectInUseProtection', defaultOn: true, gate: 'StorageObjectInUseProtection' },
  { name: 'OwnerReferencesPermissionEnforcement', defaultOn: false },
  { name: 'PersistentVolumeClaimResize', defaultOn: true },
  { name: 'RuntimeClass', defaultOn: true },
  { name: 'CertificateApproval', defaultOn: true },
  { name: 'CertificateSigning', defaultOn: true },
  { name: 'CertificateSubjectRestriction', defaultOn: true },
  { name: 'DefaultIngressClass', defaultOn: true },
  { name: 'DenyServiceExternalIPs', defaultOn: false },
  { name: 'PodTopologyLabels', defaultOn: true },
  { name: 'MutatingAdmissionWebhook', defaultOn: true },
  { name: 'Initializers', defaultOn: false },
  { name: 'ValidatingAdmissionWebhook', defaultOn: true },
  { name: 'ResourceQuota', defaultOn: true },
  { name: 'AlwaysDeny', defaultOn: false },
] as const satisfies readonly PluginEntry[];

interface PluginEntry {
  /** As `--enable-admission-plugins` names it. */
  readonly name: string;
  /** Enabled unless `--disable-admission-plugins` names it. */
  readonly defaultOn: boolean;
  /** The component in which it is enabled by default although `defaultOn` is false. */
  readonly defaultOnWith?: 'up';
  /** Feature without which it does not run, for any options. */
  readonly gate?: string;
}

export type PluginName = (typeof admissionPlugins)[number]['name'];
