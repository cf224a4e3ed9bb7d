import { bringsLabels, changesLabels, type ClusterEvent } from '../cluster-event.ts';
import type { NodeInfo } from '../node-info.ts';
import type { AffinityTerm, PodInfo } from '../pod-info.ts';
import {
  rejection,
  SCORE_MAX,
  type ClusterView,
  type FilterPlugin,
  type PendingPod,
  type Rejection,
  type ScorePlugin,
} from '../plugin.ts';

const NO_FRIENDS = rejection("node(s) didn't match pod affinity rules", false);
const FOES = rejection("node(s) didn't match pod anti-affinity rules", true);
const UNWELCOME = rejection("node(s) didn't satisfy existing pods anti-affinity rules", true);

/** How much a pod that is there and requires company counts for one that fits. */
const HARD_AFFINITY_WEIGHT = 1;

/** Counts by label of a node: `key` and `value` of a domain. */
class DomainCounts {
  private readonly counts = new Map<string, number>();

  get empty(): boolean {
    return this.counts.size === 0;
  }

  add({ node }: NodeInfo, topologyKey: string, amount: number): void {
    const value = node?.metadata.labels?.[topologyKey];
    if (value === undefined) return;
    const key = `${topologyKey}=${value}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + amount);
  }

  of({ node }: NodeInfo, topologyKey: string): number {
    const value = node?.metadata.labels?.[topologyKey];
    return value === undefined ? 0 : (this.counts.get(`${topologyKey}=${value}`) ?? 0);
  }

  /** Sum over every domain that a node belongs to. */
  sum({ node }: NodeInfo, keys: ReadonlySet<string>): number {
    let sum = 0;
    for (const key of keys) {
      const value = node?.metadata.labels?.[key];
      if (value !== undefined) sum += this.counts.get(`${key}=${value}`) ?? 0;
    }
    return sum;
  }
}

/** Pods that want others near, or far. */
export const interPodAffinity: FilterPlugin & ScorePlugin = {
  name: 'InterPodAffinity',
  weight: 2,
  prepare(pod, cluster) {
    const { affinity, antiAffinity } = pod.info;
    const unwelcome = existingAntiAffinity(pod, cluster);
    if (affinity.length + antiAffinity.length === 0 && unwelcome.keys.size === 0) return undefined;
    const friends = countsOf(affinity, cluster, (info) => affinity.every((term) => matches(term, info, cluster)));
    const foes = antiAffinity.map((term) => countsOf([term], cluster, (info) => matches(term, info, cluster)));
    // The first of pods that want each other finds none of them.
    const isFirst = friends.empty && affinity.every((term) => matches(term, pod.info, cluster));
    return {
      filter(node): Rejection | undefined {
        const labels = node.node?.metadata.labels ?? {};
        if (affinity.some(({ topologyKey }) => labels[topologyKey] === undefined)) return NO_FRIENDS;
        if (!isFirst && affinity.some(({ topologyKey }) => friends.of(node, topologyKey) === 0)) return NO_FRIENDS;
        if (antiAffinity.some(({ topologyKey }, i) => foes[i]!.of(node, topologyKey) > 0)) return FOES;
        return unwelcome.counts.sum(node, unwelcome.keys) > 0 ? UNWELCOME : undefined;
      },
    };
  },
  mayHelp(event, { info }, cluster) {
    const { affinity, antiAffinity } = info;
    switch (event.kind) {
      case 'pod':
        return [event.pod, event.old].some(
          (other) =>
            other !== undefined && [...affinity, ...antiAffinity].some((term) => matches(term, other, cluster)),
        );
      case 'podRemoved':
        return (
          antiAffinity.some((term) => matches(term, event.pod, cluster)) ||
          event.pod.antiAffinity.some((term) => matches(term, info, cluster)) ||
          // The first of pods that want each other needs no company.
          affinity.some((term) => matches(term, event.pod, cluster))
        );
      case 'node':
        return movesDomains(event, info);
      default:
        return false;
    }
  },
  score(pod, nodes, cluster) {
    const counts = new DomainCounts();
    const keys = new Set<string>();
    const add = (node: NodeInfo, term: AffinityTerm, amount: number): void => {
      keys.add(term.topologyKey);
      counts.add(node, term.topologyKey, amount);
    };
    const { preferredAffinity, preferredAntiAffinity } = pod.info;
    const hasOwn = preferredAffinity.length + preferredAntiAffinity.length > 0;
    for (const node of cluster.nodes) {
      for (const other of (hasOwn ? node.pods : node.podsWithAffinity).values()) {
        for (const term of preferredAffinity) if (matches(term, other, cluster)) add(node, term, term.weight);
        for (const term of preferredAntiAffinity) if (matches(term, other, cluster)) add(node, term, -term.weight);
        for (const term of other.affinity) if (matches(term, pod.info, cluster)) add(node, term, HARD_AFFINITY_WEIGHT);
        for (const term of other.preferredAffinity) if (matches(term, pod.info, cluster)) add(node, term, term.weight);
        for (const term of other.preferredAntiAffinity)
          if (matches(term, pod.info, cluster)) add(node, term, -term.weight);
      }
    }
    if (counts.empty) return undefined;
    const sums = nodes.map((node) => counts.sum(node, keys));
    const [min, max] = [Math.min(...sums), Math.max(...sums)];
    return sums.map((sum) => (max === min ? 0 : Math.floor((SCORE_MAX * (sum - min)) / (max - min))));
  },
};

/** Whether a node came, or has other labels, in a way that matters to the terms of a pod. */
function movesDomains({ old, node }: Extract<ClusterEvent, { kind: 'node' }>, info: PodInfo): boolean {
  const keysOf = (terms: readonly AffinityTerm[]): readonly string[] => terms.map(({ topologyKey }) => topologyKey);
  const [near, far] = [keysOf(info.affinity), keysOf(info.antiAffinity)];
  // Without terms of its own, pods that are there keep it away: maybe not on this node.
  if (old === undefined)
    return far.length > 0 || near.length === 0 || near.some((key) => node.metadata.labels?.[key] !== undefined);
  if (near.length + far.length === 0) return bringsLabels({ kind: 'node', old, node });
  return (
    changesLabels({ old, node }, far) ||
    changesLabels(
      { old, node },
      near.filter((key) => node.metadata.labels?.[key] !== undefined),
    )
  );
}

function matches(term: AffinityTerm, { namespace, labels }: PodInfo, cluster: ClusterView): boolean {
  return term.matches(namespace, labels, cluster.namespaceLabels(namespace));
}

/** In which domains of the terms there are pods for which `counted` holds. */
function countsOf(
  terms: readonly AffinityTerm[],
  cluster: ClusterView,
  counted: (info: PodInfo) => boolean,
): DomainCounts {
  const counts = new DomainCounts();
  if (terms.length === 0) return counts;
  for (const node of cluster.nodes) {
    let count = 0;
    for (const info of node.pods.values()) if (counted(info)) count++;
    if (count > 0) for (const { topologyKey } of terms) counts.add(node, topologyKey, count);
  }
  return counts;
}

/** Domains whose pods do not want this one near. */
function existingAntiAffinity(
  { info }: PendingPod,
  cluster: ClusterView,
): { readonly counts: DomainCounts; readonly keys: ReadonlySet<string> } {
  const counts = new DomainCounts();
  const keys = new Set<string>();
  for (const node of cluster.nodes) {
    for (const other of node.podsWithAffinity.values()) {
      for (const term of other.antiAffinity) {
        if (!matches(term, info, cluster)) continue;
        keys.add(term.topologyKey);
        counts.add(node, term.topologyKey, 1);
      }
    }
  }
  return { counts, keys };
}
