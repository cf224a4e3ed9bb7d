/**
 * A copy of the text in separate memory. V8's slice of a text, such as a part of a request's path, keeps the whole of
 * that text in memory: for caches of clients' texts that is more than the length of the slice.
 */
export function detachedText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
