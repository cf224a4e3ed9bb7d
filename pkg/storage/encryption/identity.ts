import type { ValueTransformer } from './value-transformer.ts';

/** Provider `identity`: values as they are. */
export const identity: ValueTransformer = {
  open: (stored) => ({ value: stored, stale: false }),
  seal: (value) => value,
};
