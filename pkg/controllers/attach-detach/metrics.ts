import type { Node, PersistentVolume } from '../../generated/types/core-v1.ts';
import type { VolumeAttachment } from '../../generated/types/storage-v1.ts';
import type { ControllerMetrics, MeasuredValue } from '../controller-metrics.ts';
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
  /** How many volumes of each plugin the pods of a node use. */
  const used = new Map<string, ReadonlyMap<string, number>>();
  const inUse = {
    name: 'storage_count_attachable_volumes_in_use',
    help: 'Volumes that pods of a node use and that are attached for that.',
    labels: ['node', 'volume_plugin'] as const,
  };
  metrics.readGauge(inUse, function* () {
    for (const [node, counts] of used)
      for (const [volume_plugin, value] of counts) yield { labels: { node, volume_plugin }, value };
  });
  const total = {
    name: 'attachdetach_controller_total_volumes',
    help: 'Volumes that are attached, and that are to be.',
    labels: ['plugin_name', 'state'] as const,
  };
  metrics.readGauge(total, () => [
    ...byState('actual_state_of_world', countOf(attachments().map(({ spec }) => pluginOf(spec.attacher)))),
    ...byState('desired_state_of_world', sumOf(used.values())),
  ]);
  return {
    wanted(node, wanted) {
      if (wanted.size === 0) used.delete(node);
      else used.set(node, countOf(Array.from(wanted.values(), ({ driver }) => pluginOf(driver))));
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

function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function sumOf(all: Iterable<ReadonlyMap<string, number>>): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const counts of all) for (const [name, count] of counts) sum.set(name, (sum.get(name) ?? 0) + count);
  return sum;
}

function byState(
  state: string,
  counts: ReadonlyMap<string, number>,
): readonly MeasuredValue<'plugin_name' | 'state'>[] {
  return Array.from(counts, ([plugin_name, value]) => ({ labels: { plugin_name, state }, value }));
}
