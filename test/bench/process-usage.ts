import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export const BYTES_PER_MB = 1e6;

/**
 * CPU time of every thread of a process since the thread's start, user and system, in nanoseconds, by thread (proc(5),
 * `schedstat`).
 */
export type CpuOfThreads = ReadonlyMap<string, number>;

export function cpuOfThreads(pid: number): CpuOfThreads {
  const found = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const nanoseconds = cpuOfThread(pid, thread);
    if (nanoseconds !== undefined) found.set(thread, nanoseconds);
  }
  return found;
}

/**
 * What a process spent between two readings, microseconds. What a thread that ended meanwhile spent last is not known.
 */
export function cpuMicrosBetween(before: CpuOfThreads, after: CpuOfThreads): number {
  let nanoseconds = 0;
  for (const [thread, now] of after) nanoseconds += now - (before.get(thread) ?? 0);
  return nanoseconds / 1000;
}

/** Seconds of the clock, and of a process's CPU, that something takes; without a process NaN. */
export async function timeSpent(
  pid: number | undefined,
  work: () => Promise<unknown>,
): Promise<{ readonly seconds: number; readonly cpuSeconds: number }> {
  const [startMs, before] = [performance.now(), pid === undefined ? undefined : cpuOfThreads(pid)];
  await work();
  return {
    seconds: (performance.now() - startMs) / 1000,
    cpuSeconds: before === undefined ? Number.NaN : cpuMicrosBetween(before, cpuOfThreads(pid!)) / 1e6,
  };
}

/** Percent of a core that a process uses in the next milliseconds. */
export async function percentOfCore(pid: number, ms: number): Promise<number> {
  const { seconds, cpuSeconds } = await timeSpent(pid, () => sleep(ms));
  return (cpuSeconds / seconds) * 100;
}

function cpuOfThread(pid: number, thread: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
  } catch {
    // It has just ended.
    return undefined;
  }
}

/** Resident memory now, the part of it that is no page of a mapped file, and its highest since `resetPeak`, bytes. */
export function memoryBytes(pid: number): { resident: number; anonymous: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const read = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { resident: read('VmRSS'), anonymous: read('RssAnon'), peak: read('VmHWM') };
}

/** As rows show it. */
export function residentMegabytes(pid: number): number {
  return memoryBytes(pid).resident / BYTES_PER_MB;
}

/**
 * Forgets the highest resident size. Where that is not allowed (a server of another user) the peak stays that of the
 * whole run.
 */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The figure is then an upper bound.
  }
}
