/** Milliseconds of a monotonic clock: for measuring durations. The time of day may step back by hours. */
export function steadyMs(): number {
  return performance.now();
}
