import { semanticDeepEqual } from '../apimachinery/deep.ts';
import type { Toleration } from '../generated/types/core-v1.ts';

/** Both lists in one, without those that tolerate no more than another one does. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    const isCovered = merged.some((kept) => toleratesAll(kept, toleration)) || all.slice(i + 1).some((later) => toleratesAll(later, toleration));
    if (!isCovered) merged.push(toleration);
  }
  return merged;
}

/** Everything that `narrow` tolerates is tolerated by `wide`. */
export function toleratesAll(wide: Toleration, narrow: Toleration): boolean {
  if (semanticDeepEqual(wide, narrow)) return true;
  if (wide.key !== narrow.key && !(!wide.key && wide.operator === 'Exists')) return false;
  if (wide.effect !== narrow.effect && wide.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  return isEqual(wide) && isEqual(narrow) && (wide.value ?? '') === (narrow.value ?? '');
}

function isEqual({ operator }: Toleration): boolean {
  return !operator || operator === 'Equal';
}
