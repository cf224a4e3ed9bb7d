import type { StoreAccess } from '../registry/store-access.ts';
import type { AdmissionPlugin } from './admission.ts';
import { defaultIngressClassPlugin } from './default-ingress-class/plugin.ts';
import { defaultStorageClassPlugin } from './default-storage-class/plugin.ts';
import { defaultTolerationSecondsPlugin } from './default-toleration-seconds/plugin.ts';
import { limitRangerPlugin } from './limit-ranger/plugin.ts';
import { namespaceLifecyclePlugin } from './namespace-lifecycle/plugin.ts';
import { lookupIn, type ObjectLookup } from './object-lookup.ts';
import { persistentVolumeClaimResizePlugin } from './persistent-volume-claim-resize/plugin.ts';
import { priorityPlugin } from './priority/plugin.ts';
import { runtimeClassPlugin } from './runtime-class/plugin.ts';
import { storageObjectInUseProtectionPlugin } from './storage-object-in-use-protection/plugin.ts';
import { taintNodesByConditionPlugin } from './taint-nodes-by-condition/plugin.ts';

/** Every plugin, in the order in which requests pass them: document 2's order of the default set. */
const inOrder: readonly ((lookup: ObjectLookup) => AdmissionPlugin)[] = [
  namespaceLifecyclePlugin,
  limitRangerPlugin,
  taintNodesByConditionPlugin,
  priorityPlugin,
  defaultTolerationSecondsPlugin,
  defaultStorageClassPlugin,
  storageObjectInUseProtectionPlugin,
  persistentVolumeClaimResizePlugin,
  runtimeClassPlugin,
  defaultIngressClassPlugin,
];

export function admissionPlugins(stores: StoreAccess): AdmissionPlugin[] {
  const lookup = lookupIn(stores);
  return inOrder.map((make) => make(lookup));
}
