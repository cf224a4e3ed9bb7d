import { nodes, persistentVolumeClaims, persistentVolumes, pods } from '../../api/core/tokens.ts';
import { csiDrivers, volumeAttachments } from '../../api/storage/tokens.ts';
import { isAlreadyExists, unlessNotFound } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { VolumeAttachment } from '../../generated/types/storage-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { PodsByNode } from '../owned/pod-indexes.ts';
import { hasEnded } from '../owned/pod-state.ts';
import { PodsByClaim } from '../owned/pods-by-claim.ts';
import { QueueController } from '../queue-controller.ts';
import { attachMetrics } from './metrics.ts';
import { reconcileNode } from './reconcile-node.ts';
import { isManaged, wantedAttachments } from './wanted-attachments.ts';

const NAME = 'persistentvolume-attach-detach-controller';
const COMPONENT = 'attachdetach-controller';
const WORKERS = 4;
/** How long a node that is not healthy may keep a volume that no pod needs. */
const DETACH_MAX_MS = 360_000;
/** Until what waits for a node is looked at again; changes of nodes and attachments come at once. */
const RETRY_MS = 5_000;

const BY_NODE = 'attachment-node';
const BY_VOLUME = 'attachment-volume';

export const attachDetachController: ControllerDescriptor = {
  name: NAME,
  account: COMPONENT,
  resources: [nodes, pods, persistentVolumeClaims, persistentVolumes, volumeAttachments, csiDrivers],
  create: (context, { volumes }) => controllerOfAttachments(context, volumes),
};

/** Attaches the CSI volumes of pods to nodes by VolumeAttachments, which the drivers' attachers carry out. */
function controllerOfAttachments(context: ControllerContext, config: ControllersConfig['volumes']): Controller {
  const { client, informers, clock } = context;
  const nodeInformer = informers.informer(nodes);
  const podInformer = informers.informer(pods);
  const claims = informers.informer(persistentVolumeClaims);
  const volumes = informers.informer(persistentVolumes);
  const attachments = informers.informer(volumeAttachments);
  const drivers = informers.informer(csiDrivers);
  const podsByNode = new PodsByNode(podInformer);
  const podsByClaim = new PodsByClaim(podInformer);
  attachments.addIndex(BY_NODE, ({ spec }) => [spec.nodeName]);
  attachments.addIndex(BY_VOLUME, ({ spec }) => nameOrNone(spec.source.persistentVolumeName));
  const recorder = context.recorder(COMPONENT);
  const metrics = attachMetrics(context.metrics, () => attachments.lister.list());
  /** Since when a volume is on a node without need: steady milliseconds by `node/volume`. */
  const unneeded = new Map<string, number>();

  /** By node, what `reconcileNode` reported of volumes that another node has. */
  const conflicts = new Map<string, Set<string>>();

  const waitedMs = (key: string): number => {
    const since = unneeded.get(key) ?? clock.steadyMs();
    unneeded.set(key, since);
    return clock.steadyMs() - since;
  };
  const otherUsers = (nodeName: string, volumeName: string): readonly Pod[] => {
    const claimRef = volumes.lister.get({ name: volumeName })?.spec.claimRef;
    if (claimRef === undefined) return [];
    return podsByClaim
      .usingName(claimRef.namespace ?? '', claimRef.name ?? '')
      .filter((pod) => !['', nodeName].includes(pod.spec.nodeName ?? '') && !hasEnded(pod));
  };
  const conflictsOf = (nodeName: string, wanted: ReadonlyMap<string, unknown>): Set<string> => {
    const known = conflicts.get(nodeName) ?? new Set<string>();
    for (const name of known) if (!wanted.has(name)) known.delete(name);
    conflicts.set(nodeName, known);
    return known;
  };
  const reconcile = async (nodeName: string): Promise<number | undefined> => {
    const node = nodeInformer.lister.get({ name: nodeName });
    if (node !== undefined && !isManaged(node)) return undefined;
    const wanted = wantedAttachments(podsByNode.on(nodeName), {
      claim: (namespace, name) => claims.lister.get({ namespace, name }),
      volume: (name) => volumes.lister.get({ name }),
      driver: (name) => drivers.lister.get({ name }),
    });
    metrics.wanted(nodeName, node === undefined ? new Map() : wanted);
    const own = attachments.lister.listByIndex(BY_NODE, nodeName);
    for (const name of wanted.keys()) unneeded.delete(`${nodeName}/${name}`);
    const waits = await reconcileNode({
      nodeName,
      node,
      wanted,
      attachments: own,
      volume: (name) => volumes.lister.get({ name }),
      otherNodes: (name) =>
        attachments.lister
          .listByIndex(BY_VOLUME, name)
          .map(({ spec }) => spec.nodeName)
          .filter((other) => other !== nodeName),
      otherUsers: (name) => otherUsers(nodeName, name),
      conflicts: node === undefined ? new Set() : conflictsOf(nodeName, wanted),
      waitedMs: (name) => waitedMs(`${nodeName}/${name}`),
      maxWaitMs: config.forceDetachOnTimeout ? DETACH_MAX_MS : undefined,
      create: (attachment) => createOnce(client.create(volumeAttachments, attachment)),
      delete: async ({ metadata, spec }) => {
        unneeded.delete(`${nodeName}/${spec.source.persistentVolumeName}`);
        await unlessNotFound(client.delete(volumeAttachments, { name: metadata.name! }));
        metrics.detached(node, volumes.lister.get({ name: spec.source.persistentVolumeName ?? '' }));
      },
      writeAttached: ({ metadata: { name, uid } }, volumesAttached) =>
        client.patch(
          nodes,
          { name: name! },
          'merge',
          { metadata: { uid }, status: { volumesAttached } },
          { subresource: 'status' },
        ),
      attached: (pod, name) =>
        recorder.event(pod, {
          type: 'Normal',
          reason: 'SuccessfulAttachVolume',
          note: `AttachVolume.Attach succeeded for volume ${JSON.stringify(name)} `,
        }),
      failed: (pod, note) => recorder.event(pod, { type: 'Warning', reason: 'FailedAttachVolume', note }),
    });
    return waits ? RETRY_MS : undefined;
  };

  const controller = new QueueController(context, { name: NAME, workers: WORKERS, reconcile });
  const queueUsers = (users: readonly Pod[]): void => {
    for (const { spec } of users) if ((spec.nodeName ?? '') !== '') controller.queue.add(spec.nodeName!);
  };
  controller.handle(nodeInformer, {
    onAdd: ({ metadata }) => controller.queue.add(metadata.name!),
    onUpdate: (old, node) => {
      const relevant = ({ metadata, spec, status }: typeof node): string =>
        JSON.stringify([metadata.annotations, spec.taints, status.volumesInUse, status.volumesAttached]);
      if (relevant(old) !== relevant(node)) controller.queue.add(node.metadata.name!);
    },
    onDelete: ({ metadata }) => {
      conflicts.delete(metadata.name!);
      controller.queue.add(metadata.name!);
    },
  });
  controller.handle(podInformer, {
    onAdd: (pod) => {
      if (usesClaims(pod)) queueUsers([pod]);
    },
    onUpdate: (old, pod) => {
      if (!usesClaims(pod)) return;
      if (old.spec.nodeName !== pod.spec.nodeName || old.status.phase !== pod.status.phase) queueUsers([pod]);
    },
    onDelete: (pod) => {
      if (usesClaims(pod)) queueUsers([pod]);
    },
  });
  controller.handle(claims, {
    onUpdate: (old, claim) => {
      if (old.status.phase !== claim.status.phase) queueUsers(podsByClaim.using(claim));
    },
  });
  controller.follow(volumes, () => []);
  controller.follow(drivers, () => []);
  controller.handle(attachments, {
    onAdd: ({ spec }) => controller.queue.add(spec.nodeName),
    onUpdate: (_old, { spec }) => controller.queue.add(spec.nodeName),
    onDelete: (attachment) => {
      controller.queue.add(attachment.spec.nodeName);
      queueWaiting(attachment);
    },
  });
  /** Nodes whose pods wait until another node has given the volume up. */
  const queueWaiting = ({ spec }: VolumeAttachment): void => {
    const claimRef = volumes.lister.get({ name: spec.source.persistentVolumeName ?? '' })?.spec.claimRef;
    const claim = claimRef && claims.lister.get({ namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' });
    if (claim !== undefined) queueUsers(podsByClaim.using(claim));
  };
  return controller;
}

function usesClaims({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(
    ({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim !== undefined || ephemeral !== undefined,
  );
}

function nameOrNone(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}

/** Names say what is attached where: what is there already is what is wanted. */
async function createOnce(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
