import { requiredNodeMatcher } from '../../api/core/node/match-node.ts';
import { untoleratedTaint } from '../../api/core/pod-spec/tolerates.ts';
import { labelRequirement, LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { Node, Pod, TopologySpreadConstraint } from '../../generated/types/core-v1.ts';
import type { NodeInfo, PodGroup } from '../node-info.ts';
import { selectorOf, type PodInfo } from '../pod-info.ts';
import { changesLabels, type ClusterEvent } from '../cluster-event.ts';
import {
  rejection,
  SCORE_MAX,
  type ClusterView,
  type FilterPlugin,
  type PendingPod,
  type ScorePlugin,
} from '../plugin.ts';

const TOO_MANY = rejection("node(s) didn't match pod topology spread constraints", true);
const NO_LABEL = rejection("node(s) didn't match pod topology spread constraints (missing required label)", false);

const HOSTNAME = 'kubernetes.io/hostname';

/** Used for pods without constraints of their own that a service or a workload selects. */
const SYSTEM_DEFAULTS: readonly TopologySpreadConstraint[] = [
  { maxSkew: 3, topologyKey: HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway' },
  { maxSkew: 5, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
];

/** One constraint with what it counts. */
interface Spread {
  readonly constraint: TopologySpreadConstraint;
  readonly group: PodGroup;
  /** Whether pods of the node are counted. */
  counts(node: Node): boolean;
}

/** Spreads pods over the domains of topologies (KEP-895). */
export const podTopologySpread: FilterPlugin & ScorePlugin = {
  name: 'PodTopologySpread',
  weight: 2,
  prepare(pod, cluster) {
    const spreads = spreadsOf(pod, 'DoNotSchedule');
    if (spreads.length === 0) return undefined;
    const checks = spreads.map((spread) => hardCheck(spread, spreads, pod.info, cluster));
    return {
      filter({ node }) {
        for (const check of checks) {
          const rejected = check(node!);
          if (rejected !== undefined) return rejected;
        }
        return undefined;
      },
    };
  },
  mayHelp(event, { pod, info }) {
    switch (event.kind) {
      case 'node':
        return changesDomains(event, hardKeys(pod));
      case 'nodeRemoved':
        return hasLabels(event.node, hardKeys(pod));
      case 'pod':
      case 'podRemoved':
        return (
          event.pod.namespace === info.namespace &&
          (pod.spec.topologySpreadConstraints ?? []).some(({ labelSelector }) => {
            const selector = selectorOf(labelSelector);
            return (
              selector.matches(event.pod.labels) ||
              (event.kind === 'pod' && event.old !== undefined && selector.matches(event.old.labels))
            );
          })
        );
      default:
        return false;
    }
  },
  score(pod, nodes, cluster) {
    const own = spreadsOf(pod, 'ScheduleAnyway');
    const spreads = own.length > 0 || hasConstraints(pod) ? own : defaultSpreads(pod, cluster);
    if (spreads.length === 0) return undefined;
    return softScores(nodes, cluster, spreads, own.length > 0);
  },
};

/** Topologies that keep the pod off nodes. */
function hardKeys({ spec }: Pod): readonly string[] {
  return (spec.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
    .map(({ topologyKey }) => topologyKey);
}

/** Whether a node with all these labels has come, gone, or moved to other domains. */
function changesDomains({ old, node }: Extract<ClusterEvent, { kind: 'node' }>, keys: readonly string[]): boolean {
  const [before, now] = [old !== undefined && hasLabels(old, keys), hasLabels(node, keys)];
  return before !== now || (now && old !== undefined && changesLabels({ old, node }, keys));
}

function hasConstraints({ pod }: PendingPod): boolean {
  return (pod.spec.topologySpreadConstraints ?? []).length > 0;
}

function spreadsOf({ pod }: PendingPod, whenUnsatisfiable: string): readonly Spread[] {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    (constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable,
  );
  if (constraints.length === 0) return [];
  const { namespace = '', labels = {} } = pod.metadata;
  const matches = requiredNodeMatcher(pod.spec);
  return constraints.map((constraint) => {
    const plain = selectorOf(constraint.labelSelector);
    const keys = (constraint.matchLabelKeys ?? []).filter(
      (key) => labels[key] !== undefined && !plain.requirements.some((one) => one.key === key),
    );
    const selector =
      keys.length === 0 || plain.matchesNothing
        ? plain
        : new LabelSelector([...plain.requirements, ...keys.map((key) => labelRequirement(key, 'in', [labels[key]!]))]);
    return {
      constraint,
      group: podGroup(namespace, selector),
      counts: (node) =>
        (constraint.nodeAffinityPolicy === 'Ignore' || matches(node)) &&
        (constraint.nodeTaintsPolicy !== 'Honor' ||
          untoleratedTaint(node.spec.taints ?? [], pod.spec.tolerations ?? [], ['NoSchedule', 'NoExecute']) ===
            undefined),
    };
  });
}

/** The selector of the defaults finds the pods that the same services, replica sets and so on select. */
function defaultSpreads({ pod }: PendingPod, cluster: ClusterView): readonly Spread[] {
  const selector = cluster.workloadSelector(pod);
  if (selector === undefined) return [];
  const matches = requiredNodeMatcher(pod.spec);
  const group = podGroup(pod.metadata.namespace!, selector);
  return SYSTEM_DEFAULTS.map((constraint) => ({ constraint, group, counts: matches }));
}

/** Whether the domain of a node may have one pod more. */
function hardCheck(
  { constraint, group, counts }: Spread,
  all: readonly Spread[],
  info: PodInfo,
  cluster: ClusterView,
): (node: Node) => typeof TOO_MANY | undefined {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const byDomain = new Map<string, number>();
  for (const nodeInfo of cluster.nodes) {
    const { node } = nodeInfo;
    if (node === undefined || !counts(node) || !hasKeys(node, all)) continue;
    const domain = node.metadata.labels![topologyKey]!;
    byDomain.set(domain, (byDomain.get(domain) ?? 0) + nodeInfo.countOf(group));
  }
  const least = byDomain.size < minDomains ? 0 : [...byDomain.values()].reduce((a, b) => Math.min(a, b), Infinity);
  const self = group.selector.matches(info.labels) ? 1 : 0;
  return ({ metadata: { labels } }) => {
    const domain = labels?.[topologyKey];
    if (domain === undefined) return NO_LABEL;
    // Without a domain there is nothing that the pod could be unevenly spread over.
    const skew = (byDomain.get(domain) ?? 0) + self - (least === Infinity ? 0 : least);
    return skew > maxSkew ? TOO_MANY : undefined;
  };
}

function podGroup(namespace: string, selector: LabelSelector): PodGroup {
  return { key: `${namespace}/${selector.matchesNothing ? '!' : selector.toString()}`, namespace, selector };
}

function hasKeys(node: Node, spreads: readonly Spread[]): boolean {
  return spreads.every(({ constraint }) => node.metadata.labels?.[constraint.topologyKey] !== undefined);
}

function hasLabels({ metadata: { labels } }: Node, keys: readonly string[]): boolean {
  return keys.every((key) => labels?.[key] !== undefined);
}

/** The fewer matching pods the domains of a node have, the better; a domain of few counts for more. */
function softScores(
  nodes: readonly NodeInfo[],
  cluster: ClusterView,
  spreads: readonly Spread[],
  needsKeys: boolean,
): readonly number[] {
  const eligible = (info: NodeInfo): boolean => info.node !== undefined && (!needsKeys || hasKeys(info.node, spreads));
  const points = nodes.map(() => 0);
  for (const spread of spreads) {
    const { topologyKey, maxSkew } = spread.constraint;
    const { domainCount, countOn } =
      topologyKey === HOSTNAME
        ? countsOfNodes(nodes, spread, eligible)
        : countsOfDomains(nodes, cluster, spread, eligible);
    const factor = Math.log(domainCount + 2);
    for (const [i, info] of nodes.entries()) {
      const count = countOn(info);
      if (count !== undefined) points[i]! += count * factor + (maxSkew - 1);
    }
  }
  const rounded = points.map(Math.round);
  const among = rounded.filter((_, i) => eligible(nodes[i]!));
  const [min, max] = [Math.min(...among), Math.max(...among)];
  return rounded.map((value, i) => {
    if (!eligible(nodes[i]!)) return 0;
    return max === 0 ? SCORE_MAX : Math.floor((SCORE_MAX * (max + min - value)) / max);
  });
}

/** How many matching pods are where a node is; undefined: the node is in no domain. */
interface DomainCounts {
  readonly domainCount: number;
  countOn(info: NodeInfo): number | undefined;
}

/** Each node is a domain of its own. */
function countsOfNodes(
  nodes: readonly NodeInfo[],
  { group }: Spread,
  eligible: (info: NodeInfo) => boolean,
): DomainCounts {
  return {
    domainCount: nodes.filter(eligible).length,
    countOn: (info) =>
      eligible(info) && info.node!.metadata.labels?.[HOSTNAME] !== undefined ? info.countOf(group) : undefined,
  };
}

function countsOfDomains(
  nodes: readonly NodeInfo[],
  cluster: ClusterView,
  { constraint: { topologyKey }, group, counts }: Spread,
  eligible: (info: NodeInfo) => boolean,
): DomainCounts {
  const byDomain = new Map<string, number>();
  for (const info of nodes) {
    const domain = info.node?.metadata.labels?.[topologyKey];
    if (domain !== undefined && eligible(info)) byDomain.set(domain, 0);
  }
  for (const info of cluster.nodes) {
    const domain = info.node?.metadata.labels?.[topologyKey];
    const known = domain === undefined ? undefined : byDomain.get(domain);
    if (known !== undefined && counts(info.node!)) byDomain.set(domain!, known + info.countOf(group));
  }
  return {
    domainCount: byDomain.size,
    countOn: ({ node }) => byDomain.get(node?.metadata.labels?.[topologyKey] ?? ''),
  };
}
