import type { Pod } from '../../generated/types/core-v1.ts';
import { finishedAtMs } from './job-pods.ts';

const BASE_MS = 10_000;
const MAX_MS = 600_000;

/** Failures since the last success, by which the next pods of a job wait. */
export interface FailureRecord {
  readonly failures: number;
  readonly lastMs: number;
}

export const noFailures: FailureRecord = { failures: 0, lastMs: 0 };

/** The record, with the pods that have ended since it was made. */
export function afterPods(record: FailureRecord, succeeded: readonly Pod[], failed: readonly Pod[]): FailureRecord {
  if (succeeded.length === 0 && failed.length === 0) return record;
  const lastSuccessMs = Math.max(...succeeded.map(finishedAtMs));
  const times = failed.map(finishedAtMs).filter((time) => time > lastSuccessMs);
  const before = succeeded.length === 0 ? record.failures : 0;
  return times.length === 0 ? noFailures : { failures: before + times.length, lastMs: Math.max(...times) };
}

/** Milliseconds that a new pod has still to wait: 10 s after one failure, doubled by each further one. */
export function waitMs({ failures, lastMs }: FailureRecord, nowMs: number): number {
  if (failures === 0) return 0;
  return Math.max(0, lastMs + Math.min(MAX_MS, BASE_MS * 2 ** (failures - 1)) - nowMs);
}
