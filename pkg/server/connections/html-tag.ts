/** A start tag in a text. */
export interface HtmlTag {
  /** Lower case. */
  readonly name: string;
  readonly attributes: readonly HtmlAttribute[];
  /** Behind its `>`. */
  readonly end: number;
}

export interface HtmlAttribute {
  /** Lower case. */
  readonly name: string;
  /** Where its value stands in the text, without quotes. */
  readonly start: number;
  readonly end: number;
}

// Sticky, and each of them linear: their input comes from untrusted pods.
const TAG_NAME = /<[^\s/>]*/y;
const BETWEEN = /[\s/]*/y;
const ATTRIBUTE_NAME = /[^\s/>][^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;

/**
 * Parses the start tag at `from`, where a `<` stands with a letter behind it, as browsers do; undefined where the text
 * ends before it.
 */
export function readTag(text: string, from: number): HtmlTag | undefined {
  const nameEnd = behind(TAG_NAME, text, from);
  const attributes: HtmlAttribute[] = [];
  let at = behind(BETWEEN, text, nameEnd);
  while (at < text.length) {
    if (text[at] === '>') return { name: text.slice(from + 1, nameEnd).toLowerCase(), attributes, end: at + 1 };
    const equals = behind(ATTRIBUTE_NAME, text, at);
    const value = behind(EQUALS, text, equals);
    if (value > equals) {
      const quote = /["']/.test(text[value] ?? '') ? text[value]! : '';
      const start = value + quote.length;
      const end = quote === '' ? behind(UNQUOTED, text, start) : text.indexOf(quote, start);
      if (end < 0) return undefined;
      attributes.push({ name: text.slice(at, equals).toLowerCase(), start, end });
      at = behind(BETWEEN, text, end + quote.length);
    } else at = behind(BETWEEN, text, equals);
  }
  return undefined;
}

/** The end of the match at `at`; `at` itself without one. */
function behind(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
