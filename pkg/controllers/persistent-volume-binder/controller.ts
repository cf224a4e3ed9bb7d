import { claimClass, volumeClass } from '../../api/core/persistent-volume/match-claim.ts';
import { persistentVolumeClaims, persistentVolumes, pods } from '../../api/core/tokens.ts';
import { storageClasses } from '../../api/storage/tokens.ts';
import { unlessNotFound } from '../../apimachinery/errors/status-error.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { StorageClass } from '../../generated/types/storage-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { LatestWrites } from '../owned/latest-writes.ts';
import { hasEnded } from '../owned/pod-state.ts';
import { PodsByClaim } from '../owned/pods-by-claim.ts';
import { HostPathProvisioner } from '../providers/host-path-provisioner.ts';
import type { VolumeProvisioner } from '../providers/volume-provisioner.ts';
import { QueueController } from '../queue-controller.ts';
import type { BinderSteps } from './binder-steps.ts';
import { volumeMetrics } from './metrics.ts';
import { reconcileClaim } from './reconcile-claim.ts';
import { reconcileVolume } from './reconcile-volume.ts';
import { RecyclerEvents } from './recycler-events.ts';
import { recycledVolume } from './recycler-pod.ts';

const NAME = 'persistentvolume-binder-controller';
const COMPONENT = 'persistentvolume-controller';
const DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Comes back after each period: brings back whatever is not settled. */
const RESYNC = 'resync';
/** A change of a volume or a class brings back the claims that wait for one, of many changes once. */
const WAITING_CLAIMS_MS = 100;

const FREE_BY_CLASS = 'free-by-class';
const VOLUME_BY_CLAIM = 'volume-by-claim';
const WAITING_BY_CLASS = 'waiting-by-class';
const CLAIM_BY_VOLUME = 'claim-by-volume';

export const persistentVolumeBinder: ControllerDescriptor = {
  name: NAME,
  account: 'persistent-volume-binder',
  resources: [persistentVolumes, persistentVolumeClaims, storageClasses, pods],
  create: (context, { volumes }) =>
    persistentVolumeBinderWith(context, volumes, [new HostPathProvisioner(volumes.hostPathProvisioner)]),
};

/** Ties claims to volumes, has volumes made for claims, and reclaims those whose claims are gone. */
export function persistentVolumeBinderWith(
  context: ControllerContext,
  config: ControllersConfig['volumes'],
  provisioners: readonly VolumeProvisioner[],
): Controller {
  const { client, informers } = context;
  const claims = informers.informer(persistentVolumeClaims);
  const volumes = informers.informer(persistentVolumes);
  const classes = informers.informer(storageClasses);
  const podInformer = informers.informer(pods);
  volumes.addIndex(FREE_BY_CLASS, (volume) => (volume.spec.claimRef === undefined ? [volumeClass(volume)] : []));
  volumes.addIndex(VOLUME_BY_CLAIM, ({ spec: { claimRef } }) =>
    claimRef === undefined ? [] : [`${claimRef.namespace}/${claimRef.name}`],
  );
  claims.addIndex(WAITING_BY_CLASS, (claim) => (isWaiting(claim) ? [claimClass(claim)] : []));
  claims.addIndex(CLAIM_BY_VOLUME, ({ spec }) => ((spec.volumeName ?? '') === '' ? [] : [spec.volumeName!]));
  const podsByClaim = new PodsByClaim(podInformer);
  const latestClaims = new LatestWrites(claims);
  const latestVolumes = new LatestWrites(volumes);
  const recorder = context.recorder(COMPONENT);

  const event: BinderSteps['event'] = (about, what) => recorder.event(about, what);
  const recyclerEvents = new RecyclerEvents(client, event, (error) => context.onError(error, `events of ${NAME}`));

  const metrics = volumeMetrics(
    context.metrics,
    () => volumes.lister.list(),
    () => claims.lister.list(),
  );
  const steps: BinderSteps = {
    metrics,
    steadyMs: () => context.clock.steadyMs(),
    claim: (namespace, name) => latestClaims.get(namespace, name),
    liveClaim: (namespace, name) => unlessNotFound(client.get(persistentVolumeClaims, { namespace, name })),
    volume: (name) => latestVolumes.get('', name),
    candidates: (claim) =>
      [
        ...volumes.lister.listByIndex(VOLUME_BY_CLAIM, `${claim.metadata.namespace}/${claim.metadata.name}`),
        ...volumes.lister.listByIndex(FREE_BY_CLASS, claimClass(claim)),
      ].map((volume) => latestVolumes.latest(volume)),
    storageClass: (name) => classes.lister.get({ name }),
    defaultClass: () => newest(classes.lister.list().filter(isDefault)),
    waitingPods: (claim) =>
      podsByClaim.using(claim).filter((pod) => (pod.spec.nodeName ?? '') === '' && !hasEnded(pod)),
    podsUsing: (namespace, name) => podsByClaim.usingName(namespace, name),
    recycler: (namespace, name) => podInformer.lister.get({ namespace, name }),
    recyclers: config.recyclers,
    provisioners,
    dynamicProvisioning: config.dynamicProvisioning,
    createVolume: async (volume) => latestVolumes.add(await client.create(persistentVolumes, volume)),
    updateVolume: async (volume) => latestVolumes.add(await client.update(persistentVolumes, volume)),
    updateVolumeStatus: async (volume) =>
      latestVolumes.add(await client.update(persistentVolumes, volume, { subresource: 'status' })),
    deleteVolume: ({ metadata: { name, uid } }) =>
      client.delete(persistentVolumes, { name: name! }, { preconditions: { uid } }),
    updateClaim: async (claim) => latestClaims.add(await client.update(persistentVolumeClaims, claim)),
    updateClaimStatus: async (claim) =>
      latestClaims.add(await client.update(persistentVolumeClaims, claim, { subresource: 'status' })),
    createPod: (pod) => client.create(pods, pod),
    deletePod: async ({ metadata: { namespace, name, uid } }) =>
      void (await unlessNotFound(client.delete(pods, { namespace, name: name! }, { preconditions: { uid } }))),
    recyclerStarted: (volume, pod) => recyclerEvents.follow(volume, pod),
    event,
    queueClaim: (namespace, name) => controller.queue.add(claimKey(namespace, name)),
  };

  const queueAll = (): number => {
    for (const { metadata, status } of claims.lister.list())
      if (status.phase !== 'Bound') controller.queue.add(claimKey(metadata.namespace!, metadata.name!));
    for (const { metadata, status } of volumes.lister.list())
      if (status.phase !== 'Bound') controller.queue.add(volumeKey(metadata.name!));
    return config.binderPeriodMs;
  };
  const controller = new QueueController(context, {
    name: NAME,
    // Claims choose from the same volumes: one after the other.
    workers: 1,
    firstKeys: [RESYNC],
    onStop: () => recyclerEvents.stop(),
    reconcile: async (key) => {
      const [kind, namespace = '', name = ''] = key.split('/');
      if (kind === RESYNC) return queueAll();
      if (kind === 'volume') {
        const volume = volumes.lister.get({ name }) && latestVolumes.get('', name);
        if (volume !== undefined) await reconcileVolume(volume, steps);
      } else {
        const claim = claims.lister.get({ namespace, name }) && latestClaims.get(namespace, name);
        if (claim !== undefined) await reconcileClaim(claim, steps);
      }
      return undefined;
    },
  });
  const queueWaiting = (className: string): void => {
    for (const { metadata } of claims.lister.listByIndex(WAITING_BY_CLASS, className))
      controller.queue.addAfter(claimKey(metadata.namespace!, metadata.name!), WAITING_CLAIMS_MS);
  };
  const volumeChanged = (volume: PersistentVolume): void => {
    const name = volume.metadata.name!;
    controller.queue.add(volumeKey(name));
    for (const { metadata } of claims.lister.listByIndex(CLAIM_BY_VOLUME, name))
      controller.queue.add(claimKey(metadata.namespace!, metadata.name!));
    const { claimRef } = volume.spec;
    if (claimRef !== undefined) controller.queue.add(claimKey(claimRef.namespace ?? '', claimRef.name ?? ''));
    else if (volume.status.phase === 'Available') queueWaiting(volumeClass(volume));
  };
  controller.handle(volumes, {
    onAdd: volumeChanged,
    onUpdate: (_old, volume) => volumeChanged(volume),
    onDelete: volumeChanged,
  });
  controller.follow(claims, ({ metadata }) => [claimKey(metadata.namespace!, metadata.name!)]);
  controller.handle(claims, {
    onUpdate: (old, { spec }) => {
      if (old.spec.volumeName !== spec.volumeName)
        for (const key of volumesOf(spec.volumeName)) controller.queue.add(key);
    },
    onDelete: ({ metadata, spec }) => {
      for (const key of volumesOf(spec.volumeName)) controller.queue.add(key);
      const own = volumes.lister.listByIndex(VOLUME_BY_CLAIM, `${metadata.namespace}/${metadata.name}`);
      for (const volume of own) controller.queue.add(volumeKey(volume.metadata.name!));
    },
  });
  controller.handle(classes, {
    onAdd: (added) => {
      queueWaiting(added.metadata.name!);
      if (isDefault(added)) queueWaiting('');
    },
    onUpdate: (_old, changed) => {
      queueWaiting(changed.metadata.name!);
      if (isDefault(changed)) queueWaiting('');
    },
  });
  const recyclerChanged = (pod: Pod): void => {
    for (const key of volumesOf(recycledVolume(pod))) controller.queue.add(key);
  };
  controller.handle(podInformer, {
    onUpdate: (old, pod) => {
      if (old.status.phase !== pod.status.phase) recyclerChanged(pod);
    },
    onDelete: ({ metadata }) => recyclerEvents.forget(metadata.uid!),
  });
  return controller;
}

function claimKey(namespace: string, name: string): string {
  return `claim/${namespace}/${name}`;
}

function volumeKey(name: string): string {
  return `volume//${name}`;
}

function volumesOf(volumeName: string | undefined): readonly string[] {
  return (volumeName ?? '') === '' ? [] : [volumeKey(volumeName!)];
}

function isWaiting({ spec, status }: PersistentVolumeClaim): boolean {
  return status.phase !== 'Bound' && status.phase !== 'Lost' && (spec.volumeName ?? '') === '';
}

function isDefault({ metadata }: StorageClass): boolean {
  return DEFAULT.some((name) => metadata.annotations?.[name] === 'true');
}

/** Of several default classes, the one that came last; of those that came at once, the first by name. */
function newest(candidates: readonly StorageClass[]): StorageClass | undefined {
  const created = ({ metadata }: StorageClass): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return candidates.toSorted((a, b) => created(b) - created(a) || (a.metadata.name! < b.metadata.name! ? -1 : 1))[0];
}
