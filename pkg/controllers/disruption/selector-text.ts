import type { LabelSelector } from '../../generated/types/meta-v1.ts';
import { byText } from '../service-endpoints/order.ts';

/** A selector in the form in which events of budgets quote it. */
export function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => byText(a, b))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  const texts = [labels.join(''), expressions.join('')];
  return `&LabelSelector{MatchLabels:map[string]string{${texts[0]}},MatchExpressions:[]LabelSelectorRequirement{${texts[1]}},}`;
}
