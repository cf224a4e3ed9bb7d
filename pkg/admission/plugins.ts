import type { AdmissionPlugin } from './admission.ts';
import { defaultIngressClassPlugin } from './default-ingress-class/plugin.ts';
import { defaultStorageClassPlugin } from './default-storage-class/plugin.ts';
import { defaultTolerationSecondsPlugin } from './default-toleration-seconds/plugin.ts';
import { limitRangerPlugin } from './limit-ranger/plugin.ts';
import { namespaceLifecyclePlugin } from './namespace-lifecycle/plugin.ts';
import { persistentVolumeClaimResizePlugin } from './persistent-volume-claim-resize/plugin.ts';
import type { PluginContext, PluginRow } from './plugin-context.ts';
import { priorityPlugin } from './priority/plugin.ts';
import { runtimeClassPlugin } from './runtime-class/plugin.ts';
import { storageObjectInUseProtectionPlugin } from './storage-object-in-use-protection/plugin.ts';
import { taintNodesByConditionPlugin } from './taint-nodes-by-condition/plugin.ts';

/** Every plugin, in the order in which requests pass them, whatever the order in which options name them. */
export const pluginRows: readonly PluginRow[] = [
  { name: 'NamespaceLifecycle', defaultOn: true, make: ({ lookup }) => namespaceLifecyclePlugin(lookup) },
  { name: 'LimitRanger', defaultOn: true, make: ({ lookup }) => limitRangerPlugin(lookup) },
  { name: 'TaintNodesByCondition', defaultOn: true, make: () => taintNodesByConditionPlugin() },
  { name: 'Priority', defaultOn: true, make: ({ lookup }) => priorityPlugin(lookup) },
  { name: 'DefaultTolerationSeconds', defaultOn: true, make: () => defaultTolerationSecondsPlugin() },
  { name: 'DefaultStorageClass', defaultOn: true, make: ({ lookup }) => defaultStorageClassPlugin(lookup) },
  { name: 'StorageObjectInUseProtection', defaultOn: true, make: () => storageObjectInUseProtectionPlugin() },
  { name: 'PersistentVolumeClaimResize', defaultOn: true, make: ({ lookup }) => persistentVolumeClaimResizePlugin(lookup) },
  { name: 'RuntimeClass', defaultOn: true, make: ({ lookup }) => runtimeClassPlugin(lookup) },
  { name: 'DefaultIngressClass', defaultOn: true, make: ({ lookup }) => defaultIngressClassPlugin(lookup) },
];

/** The names of the plugins that are on, in their order, by the two options. */
export function enabledPlugins(enable: readonly string[], disable: readonly string[]): readonly PluginRow[] {
  return pluginRows.filter(({ name, defaultOn }) => (defaultOn || enable.includes(name)) && !disable.includes(name));
}

/** Makes the enabled plugins; `configurationOf` gives a plugin's section of the configuration file. */
export function admissionPlugins(context: Omit<PluginContext, 'configuration'>, configurationOf: (plugin: string) => unknown): AdmissionPlugin[] {
  const { options } = context;
  const rows = enabledPlugins(options.list('enable-admission-plugins'), options.list('disable-admission-plugins'));
  return rows.map((row) => row.make({ ...context, configuration: configurationOf(row.name) }));
}
