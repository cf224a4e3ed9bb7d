import {
  nodes,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  replicationControllers,
  services,
} from '../api/core/tokens.ts';
import { replicaSets, statefulSets } from '../api/apps/tokens.ts';
import { podDisruptionBudgets } from '../api/policy/tokens.ts';
import { deviceClasses, resourceClaims, resourceSlices } from '../api/resource/tokens.ts';
import { csiDrivers, csiNodes, csiStorageCapacities, storageClasses } from '../api/storage/tokens.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { FollowedObjects, Informers } from '../controllers/controller-context.ts';
import { LatestWrites } from '../controllers/owned/latest-writes.ts';
import type { Node, Pod } from '../generated/types/core-v1.ts';
import { selectorOf } from './pod-info.ts';
import type { ClusterLookups } from './cluster-cache.ts';
import { DeviceCache } from './devices/device-cache.ts';
import type { Budget } from './preempt.ts';
import type { OtherKind } from './cluster-event.ts';
import { workloadSelectorOf } from './workload-selector.ts';
import { VolumeCache } from './volumes/volume-cache.ts';

/** What a scheduler follows, and the pods among it that look for a node. */
export class SchedulerInformers {
  readonly nodes: FollowedObjects<Node>;
  readonly pods: FollowedObjects<Pod>;
  /** Whatever else can make a pod fit that did not. */
  readonly others: ReadonlyMap<OtherKind, FollowedObjects<ApiObject>>;
  readonly lookups: ClusterLookups & { readonly volumes: VolumeCache; readonly devices: DeviceCache };
  readonly budgets: () => readonly Budget[];
  /** The pods with what the scheduler wrote into their status. */
  readonly writtenPods: LatestWrites<Pod>;
  private readonly pendingNames = new Map<string, { readonly namespace: string; readonly name: string }>();

  constructor(informers: Informers) {
    const follow = {
      namespaces: informers.informer(namespaces),
      services: informers.informer(services),
      replicaSets: informers.informer(replicaSets),
      statefulSets: informers.informer(statefulSets),
      replicationControllers: informers.informer(replicationControllers),
      claims: informers.informer(persistentVolumeClaims),
      volumes: informers.informer(persistentVolumes),
      classes: informers.informer(storageClasses),
      csiNodes: informers.informer(csiNodes),
      csiDrivers: informers.informer(csiDrivers),
      capacities: informers.informer(csiStorageCapacities),
      budgets: informers.informer(podDisruptionBudgets),
      resourceClaims: informers.informer(resourceClaims),
      deviceClasses: informers.informer(deviceClasses),
      slices: informers.informer(resourceSlices),
    };
    this.nodes = informers.informer(nodes);
    this.pods = informers.informer(pods);
    this.writtenPods = new LatestWrites(this.pods);
    this.others = new Map<OtherKind, unknown>([
      ['claim', follow.claims],
      ['volume', follow.volumes],
      ['storageClass', follow.classes],
      ['csiNode', follow.csiNodes],
      ['csiDriver', follow.csiDrivers],
      ['storageCapacity', follow.capacities],
      ['resourceClaim', follow.resourceClaims],
      ['deviceClass', follow.deviceClasses],
      ['resourceSlice', follow.slices],
    ]) as ReadonlyMap<OtherKind, FollowedObjects<ApiObject>>;
    this.budgets = () =>
      follow.budgets.lister.list().map(({ metadata, spec, status }) => ({
        namespace: metadata.namespace!,
        selector: selectorOf(spec.selector),
        allowed: status.disruptionsAllowed,
        disrupted: new Set(Object.keys(status.disruptedPods ?? {})),
      }));
    this.lookups = {
      namespaceLabels: (namespace) => follow.namespaces.lister.get({ name: namespace })?.metadata.labels,
      workloadSelector: (pod) =>
        workloadSelectorOf(pod, {
          services: (namespace) => follow.services.lister.list({ namespace }),
          replicaSet: (namespace, name) => follow.replicaSets.lister.get({ namespace, name }),
          statefulSet: (namespace, name) => follow.statefulSets.lister.get({ namespace, name }),
          replicationController: (namespace, name) => follow.replicationControllers.lister.get({ namespace, name }),
        }),
      volumes: new VolumeCache({
        claim: (namespace, name) => follow.claims.lister.get({ namespace, name }),
        volume: (name) => follow.volumes.lister.get({ name }),
        volumes: () => follow.volumes.lister.list(),
        storageClass: (name) => follow.classes.lister.get({ name }),
        csiNode: (name) => follow.csiNodes.lister.get({ name }),
        csiDriver: (name) => follow.csiDrivers.lister.get({ name }),
        storageCapacities: () => follow.capacities.lister.list(),
      }),
      devices: new DeviceCache({
        claim: (namespace, name) => follow.resourceClaims.lister.get({ namespace, name }),
        claims: () => follow.resourceClaims.lister.list(),
        deviceClass: (name) => follow.deviceClasses.lister.get({ name }),
        slices: () => follow.slices.lister.list(),
      }),
    };
  }

  /** A pod that looks for a node. */
  remember({ metadata }: Pod): void {
    this.pendingNames.set(metadata.uid!, { namespace: metadata.namespace!, name: metadata.name! });
  }

  forget(uid: string): void {
    this.pendingNames.delete(uid);
  }

  isThere({ metadata: { namespace = '', name = '', uid } }: Pod): boolean {
    return this.pods.lister.get({ namespace, name })?.metadata.uid === uid;
  }

  /** The pod as it is now; undefined where it is gone, has a node, or another has its name. */
  pending(uid: string): Pod | undefined {
    const name = this.pendingNames.get(uid);
    const shown = name === undefined ? undefined : this.pods.lister.get(name);
    const pod = shown === undefined ? undefined : this.writtenPods.latest(shown);
    if (pod?.metadata.uid === uid && (pod.spec.nodeName ?? '') === '' && pod.metadata.deletionTimestamp === undefined)
      return pod;
    this.pendingNames.delete(uid);
    return undefined;
  }
}
