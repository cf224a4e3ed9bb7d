import type { LabelSelector } from '../../generated/types/meta-v1.ts';

interface WithSelector {
  spec: { selector?: LabelSelector | null };
}

/** In the hub an absent selector is `null`; the oldest versions leave the field out. */
export function selectorToHub<T extends WithSelector>(object: T): T {
  object.spec.selector ??= null;
  return object;
}

export function selectorFromHub<T extends WithSelector>(object: T): T {
  if (object.spec.selector === null) delete object.spec.selector;
  return object;
}
