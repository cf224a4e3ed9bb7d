import type { Node, PersistentVolume } from '../../generated/types/core-v1.ts';
import type { VolumeAttachment } from '../../generated/types/storage-v1.ts';
import { countByLabels, type ControllerMetrics } from '../controller-metrics.ts';
import { isNodeReady, isOutOfService } from '../owned/node-state.ts';
import { attachedName, type WantedAttachment } from './wanted-attachments.ts';

export interface AttachMetrics {
  /** What the pods of a node want attached. */
  readonly wanted: (node: string, wanted: ReadonlyMap<string, WantedAttachment>) => void;
  /** A volume goes from a node. */
  readonly detached: (node: Node | undefined, volume: PersistentVolume | undefined) => void;
}

export function attachMetrics(
  metrics: ControllerMetrics,
  attachments: () => readonly VolumeAttachment[],
): AttachMetrics {
  const forced = metrics.counter({
    name: 'attach_detach_controller_attachdetach_controller_forced_detaches',
    help: 'Volumes that were detached though their node said that it used them.',
    labels: ['reason'],
  });
  /** By node: the plugin of each volume that its pods use. */
  const used = new Map<string, readonly string[]>();
  const inUse = {
    name: 'storage_count_attachable_volumes_in_use',
    help: 'Volumes that pods of a node use and that are attached for that.',
    labels: ['node', 'volume_plugin'] as const,
  };
  metrics.readGauge(inUse, function* () {
    for (const [node, plugins] of used) yield* countByLabels(plugins, (volume_plugin) => ({ node, volume_plugin }));
  });
  const total = {
    name: 'attachdetach_controller_total_volumes',
    help: 'Volumes that are attached, and that are to be.',
    labels: ['plugin_name', 'state'] as const,
  };
  metrics.readGauge(total, () => {
    const actual = attachments().map(({ spec }) => pluginOf(spec.attacher));
    const desired = [...used.values()].flat();
    return [
      ...countByLabels(actual, (plugin_name) => ({ plugin_name, state: 'actual_state_of_world' })),
      ...countByLabels(desired, (plugin_name) => ({ plugin_name, state: 'desired_state_of_world' })),
    ];
  });
  return {
    wanted(node, wanted) {
      const plugins = Array.from(wanted.values(), ({ driver }) => pluginOf(driver));
      if (plugins.length === 0) used.delete(node);
      else used.set(node, plugins);
    },
    detached(node, volume) {
      const csi = volume?.spec.csi;
      if (node === undefined || csi === undefined) return;
      if (node.status.volumesInUse?.includes(attachedName(csi.driver, csi.volumeHandle)) !== true) return;
      if (isOutOfService(node)) forced.increment({ reason: 'out-of-service' });
      else if (!isNodeReady(node)) forced.increment({ reason: 'timeout' });
    },
  };
}

function pluginOf(driver: string): string {
  return `kubernetes.io/csi:${driver}`;
}
