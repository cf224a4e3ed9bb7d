const FIRST_BATCH = 1;

/**
 * Calls `work` for 0 to `count` - 1, in batches of 1, 2, 4 and so on: where the first fails, as for want of quota, not
 * all are tried. Gives how many succeeded, and the first error; behind a batch with an error none begins.
 */
export async function slowStart(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<{ readonly succeeded: number; readonly error: unknown }> {
  let succeeded = 0;
  for (let done = 0, batch = FIRST_BATCH; done < count; done += batch, batch *= 2) {
    const size = Math.min(batch, count - done);
    const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => work(done + i)));
    const failed = results.filter((result) => result.status === 'rejected');
    succeeded += size - failed.length;
    if (failed.length > 0) return { succeeded, error: failed[0]!.reason };
  }
  return { succeeded, error: undefined };
}
