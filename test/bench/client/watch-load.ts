import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement } from '../figures.ts';
import type { HttpConnection } from './http-connection.ts';
import { watchedConfigMaps, watchedPods } from '../workload/watched-objects.ts';
import { nodeName } from '../workload/names.ts';
import type { NodeWatchJob, WatchJob } from './job.ts';
import { Meter } from './meter.ts';
import { Updater } from './updater.ts';
import { presentVersion, WatchRig, type Watches } from './watch-rig.ts';

/**
 * Updates that may be on their way to the watchers at a time where no rate is given: enough to fill batches, too few to
 * overrun a watcher.
 */
const updatesAhead = 8;

/** Changes watched objects and measures the deliveries, from the sending of an update to its arrival at a watcher. */
export async function watchLoad(job: WatchJob, writers: readonly HttpConnection[]): Promise<Measurement> {
  const objects = watchedConfigMaps(writers.length);
  const updater = await Updater.create(writers, objects);
  const meter = new Meter(job.serverPid);
  const path = `${objects.path}?watch=true&resourceVersion=${await presentVersion(job.endpoint, objects.path)}`;
  const rig = await WatchRig.open(job.endpoint, [{ path, count: job.watchers }], meter);
  const send = (): Promise<void> =>
    updater.send(
      () => rig.sending(0),
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

/**
 * Updates pods at a given rate, each watched by its node alone, while the other nodes watch theirs. Without watchers an
 * operation is an update that was answered: the cost of the updates alone.
 */
export async function nodeWatchLoad(job: NodeWatchJob, writers: readonly HttpConnection[]): Promise<Measurement> {
  const objects = watchedPods(job.pods);
  const updater = await Updater.create(writers, objects);
  const meter = new Meter(job.serverPid);
  const version = await presentVersion(job.endpoint, objects.path);
  const nodes: Watches[] = Array.from({ length: job.watchers }, (_, index) => ({
    path: `/api/v1/pods?watch=true&resourceVersion=${version}&fieldSelector=spec.nodeName%3D${nodeName(index)}`,
    count: 1,
  }));
  const rig = await WatchRig.open(job.endpoint, nodes, meter);
  const unwatched = job.watchers === 0;
  const send = (): Promise<void> =>
    updater.send(
      (index) => (unwatched ? undefined : rig.sending(index)),
      (error) => rig.fail(error),
      unwatched ? (ms) => meter.record(ms, 0) : undefined,
    );
  try {
    await runPaced(rig, send, job.seconds.warmUp, job.updatesPerSecond);
    meter.start();
    await runPaced(rig, send, job.seconds.measured, job.updatesPerSecond);
    await updater.idle();
    rig.throwIfFailed();
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
