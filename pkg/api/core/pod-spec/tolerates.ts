import type { Taint, Toleration } from '../../../generated/types/core-v1.ts';

/** Whether one toleration covers one taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  switch (operator) {
    case '':
    case 'Equal':
      return value === (taint.value ?? '');
    case 'Exists':
      return true;
    default:
      return compares(operator, taint.value ?? '', value);
  }
}

/** The first taint with one of the effects that no toleration covers. */
export function untoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** Operators of KEP-5471: the value of the taint is above or below the one of the toleration, both integers. */
function compares(operator: string, taintValue: string, value: string): boolean {
  const [left, right] = [integer(taintValue), integer(value)];
  if (left === undefined || right === undefined) return false;
  return operator === 'Gt' ? left > right : operator === 'Lt' && left < right;
}

function integer(text: string): bigint | undefined {
  return /^(0|-?[1-9]\d{0,18})$/.test(text) ? BigInt(text) : undefined;
}
