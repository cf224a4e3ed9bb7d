import type { ValueTransformer } from './value-transformer.ts';

/** Provider `identity`: values unchanged. */
export const identity: ValueTransformer = {
  open: (stored) => ({ value: stored, stale: false }),
  seal: (value) => value,
};
