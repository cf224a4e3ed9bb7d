// Process-wide: what a second is called depends on nothing else.
/** Text of the last second: events come in the order of time, many in each second. */
let latest = { second: Number.NaN, text: '' };

/** RFC 3339 in microseconds. `ms`: of the epoch, with fractions. */
export function microTime(ms: number): string {
  const wholeMs = Math.floor(ms);
  const second = Math.floor(wholeMs / 1000);
  return `${upToSecond(second)}.${threeDigits[wholeMs - second * 1000]!}${threeDigits[Math.floor((ms - wholeMs) * 1000)]!}Z`;
}

/** RFC 3339 in seconds. */
export function secondTime(ms: number): string {
  return `${upToSecond(Math.floor(ms / 1000))}Z`;
}

/** RFC 3339 in microseconds without zeros at the end, as Go prints times. */
export function shortTime(ms: number): string {
  return microTime(ms).replace(/\.?0+Z$/, 'Z');
}

function upToSecond(second: number): string {
  if (latest.second !== second) latest = { second, text: new Date(second * 1000).toISOString().slice(0, 19) };
  return latest.text;
}

/** `000` to `999`. */
const threeDigits = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));
