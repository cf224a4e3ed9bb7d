/**
 * Milliseconds of one turn of the event loop that work on many objects takes, of all such work together, before it lets
 * others have their turn.
 */
const SLICE_MS = 4;

// Process-wide: a process has one event loop, whose turns all of its servers share.
let turnEndsAtMs = 0;
let isTurnOpen = false;
let turn = 0;
const waiting: (() => void)[] = [];
let isPumping = false;

/**
 * Work on many objects in slices of time: how long one object takes depends on what clients ask for. A turn's time is
 * shared, and what waits goes on one by one: a hundred lists at once hold the loop no longer than one.
 */
export class TimeSlice {
  /** The turn's time is used up. */
  get over(): boolean {
    const now = performance.now();
    if (!isTurnOpen) openTurn(now);
    return now >= turnEndsAtMs;
  }

  /** Resolves in a later turn, when it is this work's, with the whole time of that turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (isPumping) return;
      isPumping = true;
      setImmediate(pump);
    });
  }
}

function openTurn(now: number): void {
  const opened = ++turn;
  isTurnOpen = true;
  turnEndsAtMs = now + SLICE_MS;
  setImmediate(() => {
    if (opened === turn) isTurnOpen = false;
  });
}

/** One at a turn, first come, first served. What the one before it used up is not its own. */
function pump(): void {
  openTurn(performance.now());
  waiting.shift()?.();
  isPumping = waiting.length > 0;
  if (isPumping) setImmediate(pump);
}
