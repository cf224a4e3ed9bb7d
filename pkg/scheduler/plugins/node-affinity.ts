import { nodeSelectorTermMatcher, requiredNodeMatcher } from '../../api/core/node/match-node.ts';
import type { PodSpec } from '../../generated/types/core-v1.ts';
import { bringsLabels } from '../cluster-event.ts';
import { normalized, rejection, type FilterPlugin, type ScorePlugin } from '../plugin.ts';

const REJECTED = rejection("node(s) didn't match Pod's node affinity/selector", false);

/** `nodeSelector` and node affinity. */
export const nodeAffinity: FilterPlugin & ScorePlugin = {
  name: 'NodeAffinity',
  weight: 2,
  prepare({ pod: { spec } }) {
    const { nodeSelector, affinity } = spec;
    const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (Object.keys(nodeSelector ?? {}).length === 0 && required === undefined) return undefined;
    const matches = requiredNodeMatcher(spec);
    const only = namedNodes(spec);
    if (only?.size === 0) return { rejected: rejection('pod affinity terms conflict', false) };
    const filter = ({ node }: { readonly node: Parameters<typeof matches>[0] | undefined }) =>
      node !== undefined && matches(node) ? undefined : REJECTED;
    return only === undefined ? { filter } : { filter, only };
  },
  mayHelp(event, { pod }) {
    if (!bringsLabels(event)) return false;
    const matches = requiredNodeMatcher(pod.spec);
    return matches(event.node) && (event.old === undefined || !matches(event.old));
  },
  /** Sum of the weights of the preferences that hold. */
  score({ pod: { spec } }, nodes) {
    const preferences = (spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      .filter(({ weight }) => weight !== 0)
      .map(({ weight, preference }) => ({ weight, matches: nodeSelectorTermMatcher(preference) }));
    if (preferences.length === 0) return undefined;
    return normalized(
      nodes.map(({ node }) =>
        preferences.reduce((sum, { weight, matches }) => sum + (node !== undefined && matches(node) ? weight : 0), 0),
      ),
    );
  },
};

/** Nodes that the terms single out by name, where each of them does, as those of daemons do. */
function namedNodes({ affinity }: PodSpec): ReadonlySet<string> | undefined {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = new Set<string>();
  for (const { matchFields = [] } of terms) {
    let names: ReadonlySet<string> | undefined;
    for (const { key, operator, values = [] } of matchFields) {
      if (key !== 'metadata.name' || operator !== 'In') continue;
      names = new Set(names === undefined ? values : values.filter((value) => names!.has(value)));
    }
    if (names === undefined) return undefined;
    for (const name of names) named.add(name);
  }
  return terms.length === 0 ? undefined : named;
}
