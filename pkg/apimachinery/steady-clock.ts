/**
 * Milliseconds of a clock that nobody sets: for measuring how long something lasts. The time of day may step back by
 * hours.
 */
export function steadyMs(): number {
  return performance.now();
}
