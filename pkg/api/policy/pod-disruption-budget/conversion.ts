import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { LabelSelector } from '../../../generated/types/meta-v1.ts';
import type { PodDisruptionBudget } from '../../../generated/types/policy-v1.ts';

/**
 * An empty selector matches every pod in policy/v1, and none in policy/v1beta1. The meaning of one version's empty
 * selector is expressed in the other by a requirement on a label that no pod has.
 */
const MARK = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

const EMPTY: LabelSelector = {};
/** "No pod" in policy/v1. */
const MARKED_NONE: LabelSelector = { matchExpressions: [{ key: MARK, operator: 'Exists' }] };
/** "Every pod" in policy/v1beta1. */
const MARKED_ALL: LabelSelector = { matchExpressions: [{ key: MARK, operator: 'DoesNotExist' }] };

/** policy/v1 has the hub's shape. */
export function v1ToHub(object: PodDisruptionBudget): PodDisruptionBudget {
  if (!semanticDeepEqual(object.spec.selector, MARKED_NONE)) stripMark(object.spec.selector);
  return object;
}

export function v1beta1ToHub(object: PodDisruptionBudget): PodDisruptionBudget {
  return exchange(object, EMPTY, MARKED_NONE, MARKED_ALL, EMPTY);
}

export function v1beta1FromHub(object: PodDisruptionBudget): PodDisruptionBudget {
  return exchange(object, EMPTY, MARKED_ALL, MARKED_NONE, EMPTY);
}

/** Replaces the selector `a` by `b`, or `c` by `d`; other selectors must not have the mark. */
function exchange(
  object: PodDisruptionBudget,
  a: LabelSelector,
  b: LabelSelector,
  c: LabelSelector,
  d: LabelSelector,
): PodDisruptionBudget {
  const { selector } = object.spec;
  if (selector === undefined) return object;
  if (semanticDeepEqual(selector, a)) object.spec.selector = structuredClone(b);
  else if (semanticDeepEqual(selector, c)) object.spec.selector = structuredClone(d);
  else stripMark(selector);
  return object;
}

function stripMark(selector: LabelSelector | undefined): void {
  if (selector?.matchExpressions === undefined) return;
  const kept = selector.matchExpressions.filter(({ key }) => key !== MARK);
  if (kept.length > 0) selector.matchExpressions = kept;
  else delete selector.matchExpressions;
}
