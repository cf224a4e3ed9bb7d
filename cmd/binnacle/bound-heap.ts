import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

interface HeapBounds {
  /** Both halves of the young generation together, at which it stops growing; half of V8's own limit is 16 MiB. */
  readonly youngBytes: number;
  /**
   * By how much the heap and what it holds outside may grow between two full collections, percent of what the last one
   * left. V8 itself may allow up to 300.
   */
  readonly growthPercent: number;
}

const MEGABYTE = 1024 * 1024;

const bounds = {
  /** With a smaller young generation gets cost more. */
  server: { youngBytes: 16 * MEGABYTE, growthPercent: 50 },
  /** A program beside a server: what it saves costs no CPU that can be measured. */
  program: { youngBytes: 8 * MEGABYTE, growthPercent: 50 },
  /** Keeps every object of the cluster, for long: slower growth, which takes more collections, still pays. */
  manager: { youngBytes: 8 * MEGABYTE, growthPercent: 30 },
} as const satisfies Record<string, HeapBounds>;

/** Which bounds a process keeps. */
export type HeapUser = keyof typeof bounds;

const CHECK_MS = 500;
/** V8's own: the young generation doubles when enough of it has survived. */
const DOUBLE = 2;
const STAY = 1;

/**
 * Keeps the heap close to what is in use, for a process that runs for long: 70 MB less after the benchmark at the same
 * CPU (docs/performance.md). V8 takes limits only before it starts, which a program cannot do for itself; how fast it
 * grows can be set at any time, for all threads. Call it when the start is over: while everything is loaded the heap
 * has to grow.
 */
export function boundHeap(user: HeapUser): void {
  const { youngBytes, growthPercent } = bounds[user];
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // After a rest V8 takes what requests make for long-lived and puts it among the old objects, where it keeps all that
  // it refers to alive until the next full collection: gets with audit in batches took 15 percent more CPU.
  setFlagsFromString('--no-allocation-site-pretenuring');
  let factor = 0;
  const steer = (): void => {
    const wanted = youngSize() < youngBytes ? DOUBLE : STAY;
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  };
  steer();
  // For ever: V8 makes it small again whenever there is little to do, and small it costs a third more CPU under load.
  setInterval(steer, CHECK_MS).unref();
}

function youngSize(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
