import type { LabelSelector } from '../../generated/types/meta-v1.ts';
import { compileSelector } from './pod-template.ts';

/** A workload's selector in its Scale: as text, and as a map where it has no expressions. */
export function selectorScale(selector: LabelSelector | null | undefined): {
  selector: string;
  matchLabels?: Record<string, string>;
} {
  const text = String(compileSelector(selector) ?? '');
  if ((selector?.matchExpressions ?? []).length > 0 || selector?.matchLabels === undefined) return { selector: text };
  return { selector: text, matchLabels: selector.matchLabels };
}
