import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type {
  NodeAffinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from '../../../generated/types/core-v1.ts';

/**
 * A pod behind scheduling gates may be narrowed to fewer nodes: selectors and required affinity can grow, never shrink.
 * Takes over the old values in `rest` of the fields that it has checked. `path` is the spec's.
 */
export function validateGatedPlacement(rest: PodSpec, old: PodSpec, path: FieldPath, errors: FieldErrors): void {
  if (!semanticDeepEqual(rest.nodeSelector, old.nodeSelector)) {
    validateSelectorGrew(rest.nodeSelector ?? {}, old.nodeSelector ?? {}, path.child('nodeSelector'), errors);
    rest.nodeSelector = old.nodeSelector;
  }
  const affinity = rest.affinity?.nodeAffinity;
  const before = old.affinity?.nodeAffinity;
  if (semanticDeepEqual(affinity, before)) return;
  validateAffinityGrew(affinity, before, path.child('affinity', 'nodeAffinity'), errors);
  rest.affinity = { ...rest.affinity, nodeAffinity: before };
  if (Object.values(rest.affinity).every((part) => part === undefined)) rest.affinity = undefined;
}

function validateSelectorGrew(
  selector: Record<string, string>,
  old: Record<string, string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [key, value] of Object.entries(old)) {
    if (getKey(selector, key) !== value)
      errors.invalid(path, selector, 'only additions are allowed (no mutations or deletions)');
  }
}

function validateAffinityGrew(
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const before = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (before.length === 0) return;
  if (terms.length !== before.length)
    return errors.invalid(at, terms, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed');
  for (const [i, term] of terms.entries()) {
    if (!grew(term, before[i]!))
      errors.invalid(at.index(i), term, 'only additions are allowed (no mutations or deletions)');
  }
}

function grew(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const empty = !old.matchExpressions?.length && !old.matchFields?.length;
  // An empty term matches no node: adding to it would match more.
  if (empty) return semanticDeepEqual(term, old);
  return (
    startsWith(term.matchExpressions ?? [], old.matchExpressions ?? []) &&
    startsWith(term.matchFields ?? [], old.matchFields ?? [])
  );
}

function startsWith(rules: readonly NodeSelectorRequirement[], old: readonly NodeSelectorRequirement[]): boolean {
  return old.every((rule, i) => semanticDeepEqual(rules[i], rule));
}
