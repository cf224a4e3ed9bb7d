import type { Toleration } from '../generated/types/core-v1.ts';

/** Longer lists are joined unchanged: comparing each with each would delay others. */
const COMPARED_MAX = 1000;

/** Both lists in one, without those that tolerate no more than another one does; of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  if (all.length > COMPARED_MAX) return all;
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    const isCovered =
      merged.some((kept) => toleratesAll(kept, toleration)) ||
      all.some((later, j) => j > i && !isSame(later, toleration) && toleratesAll(later, toleration));
    if (!isCovered) merged.push(toleration);
  }
  return merged;
}

/** Everything that `narrow` tolerates is tolerated by `wide`. */
export function toleratesAll(wide: Toleration, narrow: Toleration): boolean {
  if (isSame(wide, narrow)) return true;
  if (!sameText(wide.key, narrow.key) && !(!wide.key && wide.operator === 'Exists')) return false;
  if (!sameText(wide.effect, narrow.effect) && wide.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  // A narrow one without an operator is not compared further, as on stock servers.
  return (
    (!wide.operator || wide.operator === 'Equal') && narrow.operator === 'Equal' && sameText(wide.value, narrow.value)
  );
}

function isSame(one: Toleration, other: Toleration): boolean {
  return (
    sameText(one.key, other.key) &&
    sameText(one.operator, other.operator) &&
    sameText(one.value, other.value) &&
    sameText(one.effect, other.effect) &&
    one.tolerationSeconds === other.tolerationSeconds
  );
}

/** Absent and empty are the same. */
function sameText(one: string | undefined, other: string | undefined): boolean {
  return (one ?? '') === (other ?? '');
}
