/** How long a server that stops waits for a store that does not answer, milliseconds. */
const STORE_PATIENCE_MS = 3000;

/**
 * Waits for work, but no longer than `patienceMs`; resolves with whether it was over by then. Rejects as the work does.
 */
export async function withTimeout(work: Promise<unknown>, patienceMs: number = STORE_PATIENCE_MS): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  try {
    return await Promise.race([work.then(() => true), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
