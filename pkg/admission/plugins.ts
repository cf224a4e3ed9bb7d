import { FeatureGates } from '../options/feature-gates.ts';
import type { OptionValues } from '../options/option.ts';
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
  { name: 'Priority', defaultOn: true, gate: 'PodPriority', make: ({ lookup }) => priorityPlugin(lookup) },
  { name: 'DefaultTolerationSeconds', defaultOn: true, make: () => defaultTolerationSecondsPlugin() },
  { name: 'DefaultStorageClass', defaultOn: true, make: ({ lookup }) => defaultStorageClassPlugin(lookup) },
  { name: 'StorageObjectInUseProtection', defaultOn: true, gate: 'StorageObjectInUseProtection', make: () => storageObjectInUseProtectionPlugin() },
  { name: 'PersistentVolumeClaimResize', defaultOn: true, make: ({ lookup }) => persistentVolumeClaimResizePlugin(lookup) },
  { name: 'RuntimeClass', defaultOn: true, make: ({ lookup }) => runtimeClassPlugin(lookup) },
  { name: 'DefaultIngressClass', defaultOn: true, make: ({ lookup }) => defaultIngressClassPlugin(lookup) },
];

/** The plugins that are on, in their order. */
export function enabledPlugins(options: OptionValues): readonly PluginRow[] {
  const gates = FeatureGates.of(options);
  const [enable, disable, exactly] = ['enable-admission-plugins', 'disable-admission-plugins', 'admission-control'].map((name) => options.list(name)) as [string[], string[], string[]];
  const isNamed = ({ name, defaultOn }: PluginRow): boolean => (exactly.length > 0 ? exactly.includes(name) : (defaultOn || enable.includes(name)) && !disable.includes(name));
  return pluginRows.filter((row) => isNamed(row) && (row.gate === undefined || gates.enabled(row.gate)));
}

/** Makes the enabled plugins; `configurationOf` gives a plugin's section of the configuration file. */
export function admissionPlugins(context: Omit<PluginContext, 'configuration'>, configurationOf: (plugin: string) => unknown): AdmissionPlugin[] {
  const { options } = context;
  return enabledPlugins(options).map((row) => row.make({ ...context, configuration: configurationOf(row.name) }));
}
