import { createHash } from 'node:crypto';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { AttachedVolume, Node, PersistentVolume, Pod } from '../../generated/types/core-v1.ts';
import type { VolumeAttachment } from '../../generated/types/storage-v1.ts';
import { isNodeReady, isOutOfService } from '../owned/node-state.ts';
import { attachedName, isExclusive, type WantedAttachment } from './wanted-attachments.ts';

export interface AttachSteps {
  readonly nodeName: string;
  readonly node: Node | undefined;
  readonly wanted: ReadonlyMap<string, WantedAttachment>;
  /** Of this node. */
  readonly attachments: readonly VolumeAttachment[];
  readonly volume: (name: string) => PersistentVolume | undefined;
  /** Other nodes that the volume is attached to, or about to be. */
  readonly otherNodes: (volumeName: string) => readonly string[];
  /** Pods of other nodes that use the volume. */
  readonly otherUsers: (volumeName: string) => readonly Pod[];
  /** Volumes of which it was reported that another node has them. */
  readonly conflicts: Set<string>;
  /** How long a volume that no pod needs has been in use on the node, in milliseconds. */
  readonly waitedMs: (volumeName: string) => number;
  readonly maxWaitMs: number | undefined;
  readonly create: (attachment: VolumeAttachment) => Promise<unknown>;
  readonly delete: (attachment: VolumeAttachment) => Promise<void>;
  readonly writeAttached: (node: Node, volumes: readonly AttachedVolume[]) => Promise<unknown>;
  readonly attached: (pod: Pod, volumeName: string) => void;
  readonly failed: (pod: Pod, note: string) => void;
}

/**
 * Attaches what the pods of a node need and detaches what they no longer do. Returns whether the node is to be looked
 * at again soon: something waits for the node, or for another one.
 */
export async function reconcileNode(steps: AttachSteps): Promise<boolean> {
  const { wanted, attachments, node } = steps;
  let waits = false;
  const kept: VolumeAttachment[] = [];
  const leaving: VolumeAttachment[] = [];
  for (const attachment of attachments) {
    const name = attachment.spec.source.persistentVolumeName;
    // Attached by others, such as in-tree volumes that a driver took over.
    if (name === undefined || wanted.has(name)) kept.push(attachment);
    else if (canDetach(name, attachment, steps)) leaving.push(attachment);
    else {
      kept.push(attachment);
      waits = true;
    }
  }
  // The node learns first, so that its agent does not mount what is about to go.
  if (node !== undefined) await reportAttached(node, kept, steps);
  for (const attachment of leaving)
    if (attachment.metadata.deletionTimestamp === undefined) await steps.delete(attachment);
  const there = new Set(attachments.map(({ spec }) => spec.source.persistentVolumeName));
  if (node !== undefined)
    for (const [name, one] of wanted) if (!there.has(name)) waits = !(await attach(name, one, steps)) || waits;
  return waits;
}

function canDetach(name: string, attachment: VolumeAttachment, steps: AttachSteps): boolean {
  const { node, maxWaitMs } = steps;
  if (attachment.metadata.deletionTimestamp !== undefined || node === undefined || isOutOfService(node)) return true;
  const csi = steps.volume(name)?.spec.csi;
  if (csi === undefined) return true;
  if (node.status.volumesInUse?.includes(attachedName(csi.driver, csi.volumeHandle)) !== true) return true;
  // The node may still write to it; one that is ill will not say so any more.
  return !isNodeReady(node) && maxWaitMs !== undefined && steps.waitedMs(name) >= maxWaitMs;
}

/** False: another node has the volume. */
async function attach(
  name: string,
  { driver, handle, volume, pods }: WantedAttachment,
  steps: AttachSteps,
): Promise<boolean> {
  const others = isExclusive(volume) ? steps.otherNodes(name) : [];
  if (others.length > 0) {
    // Once for each time that a pod has to wait.
    if (!steps.conflicts.has(name)) for (const pod of pods) steps.failed(pod, conflictText(name, steps));
    steps.conflicts.add(name);
    return false;
  }
  steps.conflicts.delete(name);
  await steps.create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: attachmentName(driver, handle, steps.nodeName) },
    spec: { attacher: driver, nodeName: steps.nodeName, source: { persistentVolumeName: name } },
    status: { attached: false },
  });
  return true;
}

function conflictText(name: string, steps: AttachSteps): string {
  const users = steps.otherUsers(name).map(({ metadata }) => metadata.name);
  const why =
    users.length === 0
      ? "exclusively attached to one node and can't be attached to another"
      : `used by pod(s) ${users.join(', ')}`;
  return `Multi-Attach error for volume ${JSON.stringify(name)} Volume is already ${why}`;
}

/** The same for every manager: two of them never attach a volume twice. */
export function attachmentName(driver: string, handle: string, nodeName: string): string {
  return `csi-${createHash('sha256').update(`${handle}${driver}${nodeName}`).digest('hex')}`;
}

async function reportAttached(node: Node, attachments: readonly VolumeAttachment[], steps: AttachSteps): Promise<void> {
  const before = node.status.volumesAttached ?? [];
  const listed: AttachedVolume[] = [];
  const fresh: string[] = [];
  for (const { metadata, spec, status } of attachments) {
    const name = spec.source.persistentVolumeName;
    const csi = name === undefined ? undefined : steps.volume(name)?.spec.csi;
    if (csi === undefined || status?.attached !== true || metadata.deletionTimestamp !== undefined) continue;
    const attached = attachedName(csi.driver, csi.volumeHandle);
    listed.push({ name: attached, devicePath: '' });
    if (!before.some((one) => one.name === attached)) fresh.push(name!);
  }
  const byName = (a: AttachedVolume, b: AttachedVolume): number => (a.name < b.name ? -1 : 1);
  if (deepEqual(before.toSorted(byName), listed.toSorted(byName))) return;
  await steps.writeAttached(node, listed.toSorted(byName));
  for (const name of fresh) for (const pod of steps.wanted.get(name)?.pods ?? []) steps.attached(pod, name);
}
