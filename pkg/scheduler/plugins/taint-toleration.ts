import { tolerates, untoleratedTaint } from '../../api/core/pod-spec/tolerates.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import { normalized, rejection, type FilterPlugin, type ScorePlugin } from '../plugin.ts';

const REJECTED = rejection('node(s) had untolerated taint(s)', false);
const HARD = ['NoSchedule', 'NoExecute'];

/** Taints that keep pods away. */
export const taintToleration: FilterPlugin & ScorePlugin = {
  name: 'TaintToleration',
  weight: 3,
  prepare: ({ pod }) => ({
    filter: ({ node }) =>
      node?.spec.taints !== undefined &&
      untoleratedTaint(node.spec.taints, pod.spec.tolerations ?? [], HARD) !== undefined
        ? REJECTED
        : undefined,
  }),
  mayHelp(event, { pod }) {
    if (event.kind !== 'node') return false;
    const keepsAway = ({ spec }: Node): boolean =>
      untoleratedTaint(spec.taints ?? [], pod.spec.tolerations ?? [], HARD) !== undefined;
    return !keepsAway(event.node) && (event.old === undefined || keepsAway(event.old));
  },
  /** The fewer PreferNoSchedule taints are not tolerated, the better. */
  score({ pod }, nodes) {
    if (nodes.every(({ node }) => !node?.spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule')))
      return undefined;
    const soft = (pod.spec.tolerations ?? []).filter(
      ({ effect = '' }) => effect === '' || effect === 'PreferNoSchedule',
    );
    const counts = nodes.map(
      ({ node }) =>
        (node?.spec.taints ?? []).filter(
          (taint) => taint.effect === 'PreferNoSchedule' && !soft.some((toleration) => tolerates(toleration, taint)),
        ).length,
    );
    return normalized(counts, true);
  },
};
