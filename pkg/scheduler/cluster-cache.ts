import type { Labels } from '../apimachinery/selectors/label-requirement.ts';
import type { LabelSelector } from '../apimachinery/selectors/label-selector.ts';
import type { Node, Pod } from '../generated/types/core-v1.ts';
import { NodeInfo } from './node-info.ts';
import type { ClusterView } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import type { DeviceLookup } from './devices/device-lookup.ts';
import type { VolumeLookup } from './volumes/volume-lookup.ts';

/** What the cache reads from elsewhere. */
export interface ClusterLookups {
  namespaceLabels(namespace: string): Labels | undefined;
  workloadSelector(pod: Pod): LabelSelector | undefined;
  readonly volumes: VolumeLookup;
  readonly devices: DeviceLookup;
}

/**
 * Nodes and what is on them: pods that have a node, and those that the scheduler has just given one (assumed pods),
 * until the server shows them or binding fails.
 */
export class ClusterCache {
  private readonly byName = new Map<string, NodeInfo>();
  /** Where each pod is, by uid. */
  private readonly places = new Map<string, PodInfo>();
  private readonly assumed = new Set<string>();
  private list: readonly NodeInfo[] | undefined;
  private readonly lookups: ClusterLookups;

  constructor(lookups: ClusterLookups) {
    this.lookups = lookups;
  }

  setNode(node: Node): void {
    const info = this.infoOf(node.metadata.name!);
    const zoneBefore = info.node === undefined ? undefined : zoneOf(info.node);
    info.setNode(node);
    if (zoneBefore !== zoneOf(node)) this.list = undefined;
  }

  removeNode(name: string): void {
    const info = this.byName.get(name);
    if (info === undefined) return;
    info.setNode(undefined);
    this.list = undefined;
    this.dropIfEmpty(info);
  }

  /** A pod with a node, as the server shows it; gives what it was before, unless it was only assumed. */
  setPod(pod: PodInfo): PodInfo | undefined {
    const before = this.assumed.delete(pod.uid) ? undefined : this.places.get(pod.uid);
    this.place(pod);
    return before;
  }

  /** Gives what the pod was. */
  removePod(uid: string): PodInfo | undefined {
    const pod = this.places.get(uid);
    if (pod === undefined) return undefined;
    this.places.delete(uid);
    this.assumed.delete(uid);
    const info = this.byName.get(pod.nodeName);
    info?.removePod(uid);
    if (info !== undefined) this.dropIfEmpty(info);
    return pod;
  }

  /** A pod that is about to be bound. */
  assume(pod: PodInfo, nodeName: string): void {
    this.place({ ...pod, nodeName });
    this.assumed.add(pod.uid);
  }

  /** Binding failed; nothing happens when the server has shown the pod on a node meanwhile. */
  forget(uid: string): void {
    if (this.assumed.has(uid)) this.removePod(uid);
  }

  isAssumed(uid: string): boolean {
    return this.assumed.has(uid);
  }

  podsOn(name: string): Iterable<PodInfo> {
    return this.byName.get(name)?.pods.values() ?? [];
  }

  /** Nodes zone by zone in turns, so that pods go to all zones also where not all nodes are compared. */
  view(): ClusterView {
    const { lookups } = this;
    return {
      nodes: this.nodes(),
      namespaceLabels: (namespace) => lookups.namespaceLabels(namespace),
      workloadSelector: (pod) => lookups.workloadSelector(pod),
      volumes: lookups.volumes,
      devices: lookups.devices,
    };
  }

  private nodes(): readonly NodeInfo[] {
    if (this.list !== undefined) return this.list;
    const zones = new Map<string, NodeInfo[]>();
    for (const info of this.byName.values()) {
      if (info.node === undefined) continue;
      const zone = zoneOf(info.node);
      const known = zones.get(zone);
      if (known === undefined) zones.set(zone, [info]);
      else known.push(info);
    }
    const lists = [...zones.values()];
    const longest = lists.reduce((max, { length }) => Math.max(max, length), 0);
    const turns: NodeInfo[] = [];
    for (let i = 0; i < longest; i++) for (const zone of lists) if (i < zone.length) turns.push(zone[i]!);
    return (this.list = turns);
  }

  private place(pod: PodInfo): void {
    const before = this.places.get(pod.uid);
    if (before !== undefined && before.nodeName !== pod.nodeName) this.removePod(pod.uid);
    this.places.set(pod.uid, pod);
    this.infoOf(pod.nodeName).addPod(pod);
  }

  private infoOf(name: string): NodeInfo {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    const info = new NodeInfo(name);
    this.byName.set(name, info);
    return info;
  }

  private dropIfEmpty(info: NodeInfo): void {
    if (info.node === undefined && info.pods.size === 0) this.byName.delete(info.name);
  }
}

function zoneOf({ metadata: { labels } }: Node): string {
  const [region, zone] = ['region', 'zone'].map((name) => labels?.[`topology.kubernetes.io/${name}`] ?? '');
  return `${region}/${zone}`;
}
