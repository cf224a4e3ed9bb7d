/** The estimated cost of a request while it executes, in seats of its priority level. */
export interface WorkEstimate {
  readonly seats: number;
  /** Seats of the work behind the answer, such as notifying watchers of a write. */
  readonly finalSeats: number;
  /** How long that takes, seconds. */
  readonly finalSeconds: number;
  /** Watchers that get a write; absent for reads. */
  readonly watchers?: number;
}

export const oneSeat: WorkEstimate = { seats: 1, finalSeats: 0, finalSeconds: 0 };

/** Seats that a queued request needs, or an executing one has: enough for both of its phases. */
export function widthOf({ seats, finalSeats }: WorkEstimate): number {
  return Math.max(seats, finalSeats);
}
