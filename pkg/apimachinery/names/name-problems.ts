/** Errors of a text, in the words that the checks of names share. */

/** `words (e.g. 'a',  or 'b', regex used for validation is 'pattern')`. */
export function regexError(words: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${words} (regex used for validation is '${pattern}')`;
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${words} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

export function maxLenError(max: number): string {
  return `must be no more than ${max} characters`;
}

export function emptyError(): string {
  return 'must be non-empty';
}

export function inclusiveRangeError(lo: number | bigint, hi: number | bigint): string {
  return `must be between ${lo} and ${hi}, inclusive`;
}
