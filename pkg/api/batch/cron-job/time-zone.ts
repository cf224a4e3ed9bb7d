/**
 * Names of the IANA time zone database. The runtime accepts them in any case of letters; a file system with the
 * database, which stock servers read, only in the exact case.
 */

const NAME_BYTES_MAX = 255;
/** Words of zone names that are lower case, as in `Port-au-Prince`. */
const SMALL_WORDS = new Set(['au', 'es', 'of']);

/** The error of a zone's name, in the words of Go's `time.LoadLocation`. */
export function timeZoneProblem(name: string): string | undefined {
  if (name.includes('..') || name.startsWith('/') || name.includes('\\')) return 'time: invalid location name';
  return isKnown(name) ? undefined : `unknown time zone ${name}`;
}

function isKnown(name: string): boolean {
  if (name.length > NAME_BYTES_MAX || !/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  const words = name.split(/[/_-]/);
  if (words.some((word) => /^[a-z]/.test(word) && !SMALL_WORDS.has(word))) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Aliases resolve to another name; a zone itself must be written exactly as there.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    // Intl throws a RangeError for an unknown zone; the caller reports it.
    return false;
  }
}
