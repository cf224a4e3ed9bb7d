/** Milliseconds of one turn of the event loop that work on many objects takes before it lets others have theirs. */
const SLICE_MS = 4;

/** Work on many objects in slices of time: how long one object takes depends on what clients ask for. */
export class TimeSlice {
  private endsAtMs = performance.now() + SLICE_MS;

  /** The slice is used up. */
  get over(): boolean {
    return performance.now() >= this.endsAtMs;
  }

  /** Resolves in a later turn, with a new slice. */
  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.endsAtMs = performance.now() + SLICE_MS;
  }
}
