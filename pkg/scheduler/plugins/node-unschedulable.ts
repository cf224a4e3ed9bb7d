import { tolerates } from '../../api/core/pod-spec/tolerates.ts';
import { rejection, type FilterPlugin } from '../plugin.ts';

const REJECTED = rejection('node(s) were unschedulable', false);
const TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Nodes that are cordoned. */
export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  prepare: ({ pod }) =>
    (pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, TAINT))
      ? undefined
      : { filter: ({ node }) => (node?.spec.unschedulable === true ? REJECTED : undefined) },
  mayHelp: (event) =>
    event.kind === 'node' &&
    event.node.spec.unschedulable !== true &&
    (event.old === undefined || event.old.spec.unschedulable === true),
};
