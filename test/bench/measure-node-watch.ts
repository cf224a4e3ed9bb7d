import { throughput, type ThroughputFigures } from './figures.ts';
import { nodeWatchJob } from './row-jobs.ts';
import type { RunningServer } from './servers/server-under-test.ts';
import type { SystemRun } from './system-run.ts';

/**
 * The updates alone as well, before and after, since a server gets faster while it runs: what the watched ones cost
 * beyond the mean of both is the watchers' share.
 */
export async function measureNodeWatch(server: RunningServer, run: SystemRun): Promise<void> {
  if (!run.wants('watch-nodes', 'watch-nodes-share')) return;
  const measure = async (watchers: number): Promise<ThroughputFigures> =>
    throughput(await run.client.run(nodeWatchJob(watchers, server, run.plan)));
  const before = await measure(0);
  const watched = await measure(run.plan.nodeWatchers);
  const after = await measure(0);
  await run.figure('watch-nodes', () => watched);
  const [first, micros, last] = [before.cpuMicros, watched.cpuMicros, after.cpuMicros];
  if (first === undefined || micros === undefined || last === undefined) return;
  await run.gauge('watch-nodes-share', () => micros - (first + last) / 2);
}
