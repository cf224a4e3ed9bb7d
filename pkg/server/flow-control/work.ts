/** What a request is expected to cost while it is under way, in seats of its priority level. */
export interface WorkEstimate {
  readonly seats: number;
  /** Seats of what goes on behind the answer, such as telling watchers of a write. */
  readonly finalSeats: number;
  /** How long that takes, seconds. */
  readonly finalSeconds: number;
  /** Those that get a write; absent for reads. */
  readonly watchers?: number;
}

export const oneSeat: WorkEstimate = { seats: 1, finalSeats: 0, finalSeconds: 0 };

/** Seats that a request holds while it is queued for, or has, a place: enough for both of its phases. */
export function widthOf({ seats, finalSeats }: WorkEstimate): number {
  return Math.max(seats, finalSeats);
}
