import type { PodStatus } from '../../../generated/types/core-v1.ts';

/**
 * Writers without observed generations leave them unchanged, in the status and in each condition; one type may occur
 * several times.
 */
export function keepObservedGenerations(status: PodStatus, old: PodStatus): void {
  if (!status.observedGeneration && old.observedGeneration) status.observedGeneration = old.observedGeneration;
  const known = new Map<string, number[]>();
  for (const { type, observedGeneration = 0 } of old.conditions ?? []) {
    const generations = known.get(type);
    if (generations === undefined) known.set(type, [observedGeneration]);
    else generations.push(observedGeneration);
  }
  const taken = new Map<string, number>();
  for (const condition of status.conditions ?? []) {
    const i = taken.get(condition.type) ?? 0;
    taken.set(condition.type, i + 1);
    const before = known.get(condition.type)?.[i] ?? 0;
    if (!condition.observedGeneration && before !== 0) condition.observedGeneration = before;
  }
}
