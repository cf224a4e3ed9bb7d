import type { NodeInfo } from './node-info.ts';
import type { Nominations } from './nominations.ts';
import type { ClusterView, FilterPlugin, PendingPod, PodFilter, Rejection, ScorePlugin } from './plugin.ts';

/** In clusters of more nodes than this, not all that could take a pod are compared. */
const NODES_COMPARED_MIN = 100;
const SHARE_MIN = 5;

export interface SchedulingPlugins {
  readonly filters: readonly FilterPlugin[];
  readonly scores: readonly ScorePlugin[];
}

/** Why no node can take a pod. */
export interface Diagnosis {
  /** By node; those that no plugin looked at are left out when `rejected` says why. */
  readonly byNode: ReadonlyMap<string, Rejection>;
  /** Set where the pod is refused whatever the node. */
  readonly rejected?: Rejection;
  readonly nodeCount: number;
  /** Whose changes may make the pod fit. */
  readonly rejectedBy: ReadonlySet<FilterPlugin>;
}

export type Placement =
  | { readonly node: NodeInfo; readonly diagnosis?: undefined }
  | { readonly node?: undefined; readonly diagnosis: Diagnosis };

type NodeFilter = NonNullable<PodFilter['filter']>;

/** The filters of one attempt to place one pod. */
export class PodFilters {
  readonly rejected: Rejection | undefined;
  /** Plugins that have rejected a node, or the pod. */
  readonly rejectedBy = new Set<FilterPlugin>();
  private readonly filters: readonly { readonly plugin: FilterPlugin; readonly filter: NodeFilter }[] = [];
  private readonly only:
    { readonly plugin: FilterPlugin; readonly names: ReadonlySet<string>; readonly rejection: Rejection } | undefined;

  constructor(plugins: readonly FilterPlugin[], pod: PendingPod, cluster: ClusterView) {
    const filters: { plugin: FilterPlugin; filter: NodeFilter }[] = [];
    for (const plugin of plugins) {
      const prepared = plugin.prepare(pod, cluster);
      if (prepared === undefined) continue;
      if ('rejected' in prepared) {
        this.rejected = prepared.rejected;
        this.rejectedBy.add(plugin);
        return;
      }
      if (prepared.filter !== undefined) filters.push({ plugin, filter: prepared.filter });
      if (prepared.only !== undefined)
        this.only = {
          plugin,
          names: prepared.only,
          rejection: { reasons: [`node(s) didn't satisfy plugin(s) [${plugin.name}]`], preemptible: false },
        };
    }
    this.filters = filters;
  }

  /** Whether it is enough to look at some nodes by name. */
  get names(): ReadonlySet<string> | undefined {
    return this.only?.names;
  }

  check(node: NodeInfo): Rejection | undefined {
    if (this.only !== undefined && !this.only.names.has(node.name)) {
      this.rejectedBy.add(this.only.plugin);
      return this.only.rejection;
    }
    for (const { filter, plugin } of this.filters) {
      const rejection = filter(node);
      if (rejection === undefined) continue;
      this.rejectedBy.add(plugin);
      return rejection;
    }
    return undefined;
  }
}

/** Looks for the best node for a pod. Each pod begins where in the list of nodes the one before it ended. */
export class PodPlacer {
  private readonly plugins: SchedulingPlugins;
  /** From 0 up to, not including, 1. */
  private readonly random: () => number;
  private readonly nominations: Nominations | undefined;
  private startIndex = 0;

  constructor(plugins: SchedulingPlugins, random: () => number, nominations?: Nominations) {
    this.plugins = plugins;
    this.random = random;
    this.nominations = nominations;
  }

  place(pod: PendingPod, cluster: ClusterView): Placement {
    const { nodes } = cluster;
    const byNode = new Map<string, Rejection>();
    if (nodes.length === 0) return { diagnosis: { byNode, nodeCount: 0, rejectedBy: new Set() } };
    const filters = new PodFilters(this.plugins.filters, pod, cluster);
    const { rejectedBy } = filters;
    if (filters.rejected !== undefined)
      return { diagnosis: { byNode, rejected: filters.rejected, nodeCount: nodes.length, rejectedBy } };
    const check = (node: NodeInfo): Rejection | undefined =>
      filters.check(node) ?? this.checkBeside(filters, pod, node);
    const nominated = this.nominations?.nodeOf(pod.info.uid);
    const kept = nominated === undefined ? undefined : nodes.find(({ name }) => name === nominated);
    if (kept !== undefined && check(kept) === undefined) return { node: kept };
    const fitting = this.fittingNodes(check, nodes, byNode);
    if (fitting.length === 0) return { diagnosis: { byNode, nodeCount: nodes.length, rejectedBy } };
    return { node: fitting.length === 1 ? fitting[0]! : this.best(pod, fitting, cluster) };
  }

  /** Whether the pod also fits when those that the node is kept for are there. */
  private checkBeside(filters: PodFilters, { info }: PendingPod, node: NodeInfo): Rejection | undefined {
    const expected = this.nominations?.on(node.name, info) ?? [];
    if (expected.length === 0) return undefined;
    const copy = node.without([]);
    for (const pod of expected) copy.addPod(pod);
    return filters.check(copy);
  }

  private fittingNodes(
    check: (node: NodeInfo) => Rejection | undefined,
    nodes: readonly NodeInfo[],
    byNode: Map<string, Rejection>,
  ): readonly NodeInfo[] {
    const wanted = nodesToCompare(nodes.length);
    const fitting: NodeInfo[] = [];
    let looked = 0;
    for (; looked < nodes.length && fitting.length < wanted; looked++) {
      const node = nodes[(this.startIndex + looked) % nodes.length]!;
      const rejection = check(node);
      if (rejection === undefined) fitting.push(node);
      else byNode.set(node.name, rejection);
    }
    if (nodes.length > 0) this.startIndex = (this.startIndex + looked) % nodes.length;
    return fitting;
  }

  /** The node with the most points; of several with as many, any. */
  private best(pod: PendingPod, nodes: readonly NodeInfo[], cluster: ClusterView): NodeInfo {
    const totals = nodes.map(() => 0);
    for (const plugin of this.plugins.scores) {
      const points = plugin.score(pod, nodes, cluster);
      if (points !== undefined) for (const [i, value] of points.entries()) totals[i]! += plugin.weight * value;
    }
    let [best, ties] = [0, 1];
    for (let i = 1; i < totals.length; i++) {
      if (totals[i]! > totals[best]!) [best, ties] = [i, 1];
      else if (totals[i] === totals[best] && this.random() * ++ties < 1) best = i;
    }
    return nodes[best]!;
  }
}

/** Half of the nodes, the fewer of them the more there are, as on a stock scheduler. */
function nodesToCompare(count: number): number {
  if (count < NODES_COMPARED_MIN) return count;
  const share = Math.max(SHARE_MIN, 50 - Math.floor(count / 125));
  return Math.max(NODES_COMPARED_MIN, Math.floor((count * share) / 100));
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
export function diagnosisText({ byNode, rejected, nodeCount }: Diagnosis): string {
  if (nodeCount === 0) return 'no nodes available to schedule pods';
  const head = `0/${nodeCount} nodes are available:`;
  if (rejected !== undefined) return `${head} ${rejected.reasons.join(', ')}.`;
  return `${head} ${countedReasons(byNode.values())}.`;
}

/** `1 Insufficient cpu, 2 node(s) were unschedulable`, sorted as texts. */
export function countedReasons(rejections: Iterable<Rejection>): string {
  const counts = new Map<string, number>();
  for (const { reasons } of rejections) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Array.from(counts, ([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
