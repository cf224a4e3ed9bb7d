import { DurationError, parseDuration } from '../apimachinery/duration.ts';

/** `1h30m`, `5m0s`, `250ms` in milliseconds; undefined for other text and for times below 0. */
export function durationMs(text: string): number | undefined {
  try {
    const ms = Number(parseDuration(text)) / 1e6;
    return ms < 0 ? undefined : ms;
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}
