import type { HeapProfiler, Profiler } from 'node:inspector';
import type { DelayBucket } from './event-loop-delays.ts';

/** What was recorded, as it goes to the thread that writes it. */
export type RecordedProfile =
  | { readonly kind: 'cpu'; readonly profile: Profiler.Profile; readonly takenMs: number }
  | { readonly kind: 'heap'; readonly profile: HeapProfiler.SamplingHeapProfile; readonly takenMs: number }
  /** `takenMs`: milliseconds of the epoch. */
  | { readonly kind: 'delays'; readonly buckets: readonly DelayBucket[]; readonly takenMs: number };
