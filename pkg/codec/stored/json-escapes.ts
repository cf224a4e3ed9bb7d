export const LETTER_U = 0x75;
export const HEX = Buffer.from('0123456789abcdef');
/** The first byte of U+2028 and U+2029, `e2 80 a8` and `e2 80 a9`, and of many other characters. */
export const SEPARATOR_LEAD = 0xe2;
/** No letter: the bytes that follow decide. */
export const PERHAPS = 1;

/**
 * By byte: 0 where Go's JSON has it as it is, else what follows the backslash; `u` for those without a letter, markup
 * among them.
 */
export const escapes = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) escapes[byte] = LETTER_U;
for (const one of '<>&') escapes[one.charCodeAt(0)] = LETTER_U;
escapes[SEPARATOR_LEAD] = PERHAPS;
for (const [byte, letter] of [...'\b\t\n\f\r"\\'].map((c, i) => [c.charCodeAt(0), 'btnfr"\\'.charCodeAt(i)] as const))
  escapes[byte] = letter;

/**
 * Whether one of four bytes is below 0x20, a quote, a backslash, markup or no ASCII; maybe true without one, after one
 * with such. Quotes and `&` differ in one bit, `<` and `>` in another.
 */
export function hasEscape(four: number): boolean {
  const quotes = (four & 0xfbfbfbfb) ^ 0x22222222;
  const backslashes = four ^ 0x5c5c5c5c;
  const angles = (four & 0xfdfdfdfd) ^ 0x3c3c3c3c;
  return (
    ((((four - 0x20202020) & ~four) |
      ((quotes - 0x01010101) & ~quotes) |
      ((backslashes - 0x01010101) & ~backslashes) |
      ((angles - 0x01010101) & ~angles) |
      four) &
      0x80808080) !==
    0
  );
}

/** The same for markup, and for what is no ASCII. */
export function hasMarkup(four: number): boolean {
  const ampersands = four ^ 0x26262626;
  const angles = (four & 0xfdfdfdfd) ^ 0x3c3c3c3c;
  return ((((ampersands - 0x01010101) & ~ampersands) | ((angles - 0x01010101) & ~angles) | four) & 0x80808080) !== 0;
}
