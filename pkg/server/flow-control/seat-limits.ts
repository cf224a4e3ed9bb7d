/** The inputs for the seats of one level, with its recent demand. */
export interface SeatClaim {
  /** Its part of the total by its shares. */
  readonly nominal: number;
  /** Its minimum: the rest of its nominal seats may be borrowed by levels with demand. */
  readonly min: number;
  /** Its maximum, with borrowed seats. */
  readonly max: number;
  /** Its present demand, smoothed; never below `min`. */
  readonly target: number;
}

/** The parts of `total` seats by shares, each rounded up, as in stock servers. */
export function nominalSeats(total: number, shares: number, allShares: number): number {
  return allShares === 0 ? 0 : Math.ceil((total * shares) / allShares);
}

/**
 * Seats of each level for the next period: every level gets the same fraction of its target, but no less than its
 * minimum and no more than its maximum, where the fraction is the one at which all seats are given out. Metrics report
 * `fraction`.
 */
export function shareSeats(
  total: number,
  claims: readonly SeatClaim[],
): { readonly seats: readonly number[]; readonly fraction: number } {
  const at = (fraction: number): number[] =>
    claims.map(({ min, max, target }) => Math.min(max, Math.max(min, fraction * target)));
  const sum = (seats: readonly number[]): number => seats.reduce((a, b) => a + b, 0);
  const least = claims.map(({ min }) => min);
  if (sum(least) >= total) return { seats: least.map(Math.round), fraction: 0 };
  const largest = Math.max(...claims.map(({ max, target }) => (target > 0 ? max / target : 0)), 0);
  if (sum(at(largest)) <= total) return { seats: at(largest).map(Math.round), fraction: largest };
  let [low, high] = [0, largest];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (sum(at(middle)) > total) high = middle;
    else low = middle;
  }
  return { seats: at(low).map(Math.round), fraction: low };
}

/** Enough to find the fraction to the precision of a seat. */
const HALVINGS = 50;
