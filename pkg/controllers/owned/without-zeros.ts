/**
 * A status as the server shows it: counts of 0 are left out, but for those that it always shows, or that say by 0 that
 * they are known.
 */
export function withoutZeros<T extends object>(status: T, kept: readonly (keyof T & string)[]): T {
  const shown = Object.entries(status).filter(([key, value]) => value !== 0 || kept.some((name) => name === key));
  return Object.fromEntries(shown) as T;
}
