import type { HeapProfiler, Profiler } from 'node:inspector';
import type { DelayBucket } from './event-loop-delays.ts';

/** A recording, in the form for the thread that writes it. */
export type RecordedProfile =
  | { readonly kind: 'cpu'; readonly profile: Profiler.Profile; readonly takenMs: number }
  | { readonly kind: 'heap'; readonly profile: HeapProfiler.SamplingHeapProfile; readonly takenMs: number }
  /** `takenMs`: milliseconds of the epoch. */
  | { readonly kind: 'delays'; readonly buckets: readonly DelayBucket[]; readonly takenMs: number };
