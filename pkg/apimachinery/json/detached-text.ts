/**
 * The same text in memory of its own. A text cut out of another, as the parts of a request's path are, keeps the whole
 * of that other one for as long as it is there itself: for whatever remembers texts of clients that is more than the
 * length of the text says.
 */
export function detachedText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
