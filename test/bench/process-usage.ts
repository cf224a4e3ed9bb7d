import { readFileSync, writeFileSync } from 'node:fs';

/** The kernel's unit of CPU time in /proc, the same on every Linux architecture that Node runs on. */
const ticksPerSecond = 100;

/** CPU time of a process since its start, all threads, user and system, in microseconds (proc(5), fields 14 and 15 of stat). */
export function cpuMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The command's name, in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond;
}

/** Resident memory now, the part of it that is no page of a mapped file, and its highest since `resetPeak`, bytes. */
export function memoryBytes(pid: number): { resident: number; anonymous: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const read = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { resident: read('VmRSS'), anonymous: read('RssAnon'), peak: read('VmHWM') };
}

/** Forgets the highest resident size. Where that is not allowed (a server of another user) the peak stays that of the whole run. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The figure is then an upper bound.
  }
}
