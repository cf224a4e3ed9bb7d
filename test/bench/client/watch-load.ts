import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement } from '../figures.ts';
import type { HttpConnection } from './http-connection.ts';
import type { WatchJob } from './job.ts';
import { Meter } from './meter.ts';
import { Updater } from './updater.ts';
import { WatchRig } from './watch-rig.ts';

/**
 * Updates that may be on their way to the watchers at a time where no rate is given: enough to fill batches, too few to
 * overrun a watcher.
 */
const updatesAhead = 8;

/** Changes watched objects and measures the deliveries, from the sending of an update to its arrival at a watcher. */
export async function watchLoad(job: WatchJob, writers: readonly HttpConnection[]): Promise<Measurement> {
  const updater = await Updater.create(writers);
  const meter = new Meter(job.serverPid);
  const rig = await WatchRig.open(job.endpoint, job.watchers, meter);
  const send = (): Promise<void> =>
    updater.send(
      () => rig.sending(),
      (error) => rig.fail(error),
    );
  const run = (seconds: number): Promise<void> =>
    job.updatesPerSecond === undefined
      ? runSaturated(rig, send, seconds)
      : runPaced(rig, send, seconds, job.updatesPerSecond);
  try {
    await run(job.seconds.warmUp);
    meter.start();
    await run(job.seconds.measured);
    return meter.stop();
  } finally {
    rig.close();
  }
}

async function runSaturated(rig: WatchRig, send: () => Promise<void>, seconds: number): Promise<void> {
  const endAt = performance.now() + seconds * 1000;
  do {
    await rig.until(updatesAhead - 1);
    await send();
  } while (performance.now() < endAt);
  await rig.until(0);
}

/** At the given moments, whether or not earlier updates have arrived. */
async function runPaced(rig: WatchRig, send: () => Promise<void>, seconds: number, perSecond: number): Promise<void> {
  const startedAt = performance.now();
  const updates = Math.max(1, Math.round(seconds * perSecond));
  for (let n = 0; n < updates; n++) {
    await sleep(Math.max(0, startedAt + (n * 1000) / perSecond - performance.now()));
    rig.throwIfFailed();
    await send();
  }
  await rig.until(0);
}
