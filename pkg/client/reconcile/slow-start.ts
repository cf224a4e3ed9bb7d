export interface SlowStartResult {
  readonly succeeded: number;
  /** Calls that were not made, since one before them failed. */
  readonly skipped: number;
  /** Of the first call that failed. */
  readonly error?: unknown;
}

/**
 * Makes `count` calls in batches of 1, 2, 4, 8 … at once, and stops behind the batch in which one fails: where a quota
 * refuses all creates of a large replica set, the server sees one refusal and not thousands. Never rejects.
 */
export async function slowStart(
  count: number,
  call: (index: number) => Promise<unknown>,
  firstBatch = 1,
): Promise<SlowStartResult> {
  let made = 0;
  let succeeded = 0;
  for (let size = firstBatch; made < count; size *= 2) {
    const batch = Math.min(size, count - made);
    const from = made;
    made += batch;
    const outcomes = await Promise.allSettled(
      Array.from({ length: batch }, async (_, i) => {
        await call(from + i);
      }),
    );
    succeeded += outcomes.filter(({ status }) => status === 'fulfilled').length;
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) return { succeeded, skipped: count - made, error: failed.reason };
  }
  return { succeeded, skipped: 0 };
}
