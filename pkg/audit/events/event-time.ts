/** RFC 3339 in microseconds. `ms`: of the epoch, with fractions. */
export function microTime(ms: number): string {
  const micros = Math.floor((ms - Math.floor(ms)) * 1000);
  return `${new Date(Math.floor(ms)).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** RFC 3339 in seconds. */
export function secondTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 in microseconds without zeros at the end, as Go prints times. */
export function shortTime(ms: number): string {
  return microTime(ms).replace(/\.?0+Z$/, 'Z');
}
