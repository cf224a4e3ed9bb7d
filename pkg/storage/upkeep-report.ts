import { rateLimitedLog } from '../apimachinery/rate-limited-log.ts';
import { steadyMs } from '../apimachinery/steady-clock.ts';

/** What a store does for itself, without a caller who would see a failure. */
export type UpkeepTask = 'history compaction' | 'history scrub' | 'expiry of keys';

/** Takes failures of upkeep, each of which is followed by another attempt. */
export type UpkeepReport = (task: UpkeepTask, error: unknown) => void;

/** Warns of failures, of each task at most every ten seconds. */
export function upkeepReport(warn: (message: string) => void, nowMs: () => number = steadyMs): UpkeepReport {
  const logs = new Map<UpkeepTask, (message: string) => void>();
  return (task, error) => {
    let log = logs.get(task);
    if (log === undefined) logs.set(task, (log = rateLimitedLog(warn, nowMs)));
    log(`store upkeep: ${task} failed and is tried again: ${error instanceof Error ? error.message : String(error)}`);
  };
}
