const BACKDATE_MS = 5 * 60_000;
const DURATION_MIN_MS = 10 * 60_000;
/** Of shorter certificates the end is counted from now on, of others from their begin. */
const SHORT_MS = 8 * 3600_000;

export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** For how long a certificate is valid: as requested within bounds, and no longer than its authority. */
export function validityOf(
  expirationSeconds: number | undefined,
  durationMaxMs: number,
  authorityEndMs: number,
  nowMs: number,
): Validity {
  if (nowMs >= authorityEndMs)
    throw new Error(`the signer has expired: NotAfter=${new Date(authorityEndMs).toISOString()}`);
  const requestedMs = expirationSeconds === undefined ? durationMaxMs : expirationSeconds * 1000;
  const durationMs = Math.min(durationMaxMs, Math.max(DURATION_MIN_MS, requestedMs));
  const notBeforeMs = nowMs - BACKDATE_MS;
  const notAfterMs = (durationMs < SHORT_MS ? nowMs : notBeforeMs) + durationMs;
  return { notBeforeMs, notAfterMs: Math.min(notAfterMs, authorityEndMs) };
}
