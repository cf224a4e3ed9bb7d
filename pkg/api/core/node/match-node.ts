import { LabelRequirement, type LabelOperator } from '../../../apimachinery/selectors/label-requirement.ts';
import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from '../../../generated/types/core-v1.ts';

const operators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
};

/** A condition on nodes. */
export type NodeMatcher = (node: Node) => boolean;

/**
 * Any of the terms must hold. A term without conditions holds for no node, and so does a selector without terms; a
 * condition that cannot be understood never holds.
 */
export function nodeSelectorMatcher(selector: NodeSelector): NodeMatcher {
  const terms = (selector.nodeSelectorTerms ?? []).map(nodeSelectorTermMatcher);
  return (node) => terms.some((matches) => matches(node));
}

/** Every condition of the term must hold. */
export function nodeSelectorTermMatcher({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeMatcher {
  if (matchExpressions.length + matchFields.length === 0) return () => false;
  const labels = matchExpressions.map(requirement);
  const fields = matchFields.map(requirement);
  return ({ metadata }) =>
    labels.every((one) => one?.matches(metadata.labels ?? {}) === true) &&
    fields.every((one) => one?.matches({ 'metadata.name': metadata.name! }) === true);
}

/** What `nodeSelector` and the required node affinity of a pod ask for together. */
export function requiredNodeMatcher({ nodeSelector, affinity }: PodSpec): NodeMatcher {
  const wanted = Object.entries(nodeSelector ?? {});
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const matches = required === undefined ? undefined : nodeSelectorMatcher(required);
  return (node) =>
    wanted.every(([key, value]) => node.metadata.labels?.[key] === value) && (matches === undefined || matches(node));
}

function requirement({ key, operator, values = [] }: NodeSelectorRequirement): LabelRequirement | undefined {
  const known = operators[operator];
  return known === undefined ? undefined : new LabelRequirement(key, known, values.toSorted());
}
