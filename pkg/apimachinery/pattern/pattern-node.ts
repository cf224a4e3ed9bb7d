/** Part of a pattern. A character is a code point. */
export type PatternNode =
  | { readonly kind: 'character'; readonly has: CharacterSet }
  /** An assertion about a position: the characters around it, undefined at the ends of the text. */
  | { readonly kind: 'place'; readonly holds: (before: number | undefined, after: number | undefined) => boolean }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly items: readonly PatternNode[] }
  /** `max` may be infinite. */
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number };

export type CharacterSet = (character: number) => boolean;

/** An invalid pattern; the message says why. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatternError';
  }
}
