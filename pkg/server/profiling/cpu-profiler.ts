import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Sampling interval, microseconds: a hundred samples a second, as tools for this format expect. */
export const CPU_SAMPLING_US = 10_000;

/**
 * Records what the main thread does: one recording at a time, since each slows the server down. The runtime lists all
 * functions on the heap when a recording begins, which stops the main thread for half a second with 800 MB on it.
 */
export class CpuProfiler {
  private recording = false;

  /** Records for `ms` milliseconds, less on abort; undefined while another recording runs. */
  async record(ms: number, signal: AbortSignal): Promise<Profiler.Profile | undefined> {
    if (this.recording) return undefined;
    this.recording = true;
    const session = new Session();
    try {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: CPU_SAMPLING_US });
      await session.post('Profiler.start');
      // Aborted: the profile ends early.
      await sleep(ms, undefined, { signal }).catch(() => undefined);
      return (await session.post('Profiler.stop')).profile;
    } finally {
      session.disconnect();
      this.recording = false;
    }
  }
}
