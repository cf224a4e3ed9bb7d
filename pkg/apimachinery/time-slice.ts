/**
 * Milliseconds of one turn of the event loop that work on many objects takes, all such work together, before it yields.
 */
const SLICE_MS = 4;

// Process-wide: a process has one event loop, whose turns all of its servers share.
let turnEndsAtMs = 0;
let isTurnOpen = false;
let turn = 0;
const waiting: (() => void)[] = [];
let isPumping = false;

/**
 * Work on many objects in slices of time: how long one object takes depends on the client's request. A turn's time is
 * shared, and waiting work continues one by one: a hundred lists at once hold the loop no longer than one.
 */
export class TimeSlice {
  /** Whether the turn's time is used up. */
  get over(): boolean {
    const now = performance.now();
    if (!isTurnOpen) openTurn(now);
    return now >= turnEndsAtMs;
  }

  /** Resolves in a later turn, at the front of the line, with the whole time of that turn. */
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

/** One a turn, first come, first served. The time that the one before used does not count. */
function pump(): void {
  openTurn(performance.now());
  waiting.shift()?.();
  isPumping = waiting.length > 0;
  if (isPumping) setImmediate(pump);
}
