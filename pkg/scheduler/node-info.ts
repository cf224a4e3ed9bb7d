import type { LabelSelector } from '../apimachinery/selectors/label-selector.ts';
import type { Node } from '../generated/types/core-v1.ts';
import type { HostPort, PodInfo } from './pod-info.ts';
import { addAmount, amountsOf, type Amounts } from './resource-amounts.ts';

const WILDCARD = '0.0.0.0';
/** Groups of pods that a node counts; of more the one that was asked for first goes. */
const GROUPS_MAX = 64;

/** Pods of a namespace that a selector finds; `key` stands for both. */
export interface PodGroup {
  readonly key: string;
  readonly namespace: string;
  readonly selector: LabelSelector;
}

/** A node with the pods that are on it, or are about to be. */
export class NodeInfo {
  readonly name: string;
  private current: Node | undefined;
  private allocatableAmounts: Amounts = new Map();
  readonly pods = new Map<string, PodInfo>();
  /** Those of `pods` with affinity or anti-affinity to other pods, which few have. */
  readonly podsWithAffinity = new Map<string, PodInfo>();
  readonly requested = new Map<string, number>();
  /** Sums of the weights of the pods. */
  readonly weight = { cpu: 0, memory: 0 };
  private readonly ports = new Map<string, number>();
  private readonly groups = new Map<string, { readonly group: PodGroup; count: number }>();
  /** Bytes by the name of an image that the node has. */
  readonly images = new Map<string, number>();

  constructor(name: string) {
    this.name = name;
  }

  /** Absent while pods are known of a node that is not: nothing is placed there. */
  get node(): Node | undefined {
    return this.current;
  }

  get allocatable(): Amounts {
    return this.allocatableAmounts;
  }

  setNode(node: Node | undefined): void {
    this.current = node;
    const { allocatable, capacity, images } = node?.status ?? {};
    this.allocatableAmounts = amountsOf(allocatable ?? capacity);
    this.images.clear();
    for (const { names, sizeBytes = 0 } of images ?? [])
      for (const name of names ?? []) this.images.set(name, sizeBytes);
  }

  addPod(pod: PodInfo): void {
    this.removePod(pod.uid);
    this.pods.set(pod.uid, pod);
    if (hasAffinity(pod)) this.podsWithAffinity.set(pod.uid, pod);
    this.count(pod, 1);
  }

  removePod(uid: string): void {
    const pod = this.pods.get(uid);
    if (pod === undefined) return;
    this.pods.delete(uid);
    this.podsWithAffinity.delete(uid);
    this.count(pod, -1);
  }

  /** Whether a pod that wants the port can be here beside the pods that are. */
  isPortFree({ ip, protocol, port }: HostPort): boolean {
    if (ip === WILDCARD) return !this.ports.has(`${protocol}:${port}`);
    return (
      !this.ports.has(portKey({ ip, protocol, port })) && !this.ports.has(portKey({ ip: WILDCARD, protocol, port }))
    );
  }

  /** Pods of the group that are not being deleted. Kept up to date from the first time on: every pod of it asks. */
  countOf(group: PodGroup): number {
    const known = this.groups.get(group.key);
    if (known !== undefined) return known.count;
    let count = 0;
    for (const pod of this.pods.values()) if (isOf(group, pod)) count++;
    if (this.groups.size >= GROUPS_MAX) this.groups.delete(this.groups.keys().next().value!);
    this.groups.set(group.key, { group, count });
    return count;
  }

  /** A copy without some of its pods, to see what would fit then. */
  without(uids: Iterable<string>): NodeInfo {
    const copy = new NodeInfo(this.name);
    copy.setNode(this.current);
    for (const pod of this.pods.values()) copy.addPod(pod);
    for (const uid of uids) copy.removePod(uid);
    return copy;
  }

  private count(pod: PodInfo, sign: 1 | -1): void {
    for (const [name, amount] of pod.requests) addAmount(this.requested, name, sign * amount);
    for (const entry of this.groups.values()) if (isOf(entry.group, pod)) entry.count += sign;
    this.weight.cpu += sign * pod.weights.cpu;
    this.weight.memory += sign * pod.weights.memory;
    for (const port of pod.hostPorts) {
      addAmount(this.ports, portKey(port), sign);
      // Under any address, for those that want all of them.
      addAmount(this.ports, `${port.protocol}:${port.port}`, sign);
    }
  }
}

function isOf({ namespace, selector }: PodGroup, pod: PodInfo): boolean {
  return pod.namespace === namespace && !pod.deleting && selector.matches(pod.labels);
}

function hasAffinity({ affinity, antiAffinity, preferredAffinity, preferredAntiAffinity }: PodInfo): boolean {
  return affinity.length + antiAffinity.length + preferredAffinity.length + preferredAntiAffinity.length > 0;
}

function portKey({ ip, protocol, port }: HostPort): string {
  return `${ip}/${protocol}:${port}`;
}
