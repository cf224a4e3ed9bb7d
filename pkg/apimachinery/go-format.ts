/**
 * Values as Go's `fmt` package prints them. Validation errors quote the rejected value in this form, and clients print and match it.
 */

const SHORT_ESCAPES: Record<string, string> = {
  '\x07': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\\': '\\\\', '"': '\\"',
};
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
/** Values are printed into errors this deep; what comes from clients may nest much deeper. */
const PLAIN_DEPTH_MAX = 100;
const PLAIN_ASCII = /^[ !#-[\]-~]*$/;

/** A string as the verb `%q` prints it. */
export function goQuote(text: string): string {
  if (PLAIN_ASCII.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const char of text) quoted += escapeChar(char);
  return `${quoted}"`;
}

function escapeChar(char: string): string {
  const short = SHORT_ESCAPES[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (PRINTABLE.test(char)) return char;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code > 0xffff) return `\\U${code.toString(16).padStart(8, '0')}`;
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A value whose Go form is known to the caller, such as a typed struct: printed as it stands. */
export class GoText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Wraps ready text, for example `goText('[]networking.IngressRule(nil)')`. */
export function goText(text: string): GoText {
  return new GoText(text);
}

/** `map[string]string{"a":"b"}` with sorted keys, or the nil form. */
export function goStringMap(map: Record<string, string> | null | undefined, typeName = 'map[string]string'): GoText {
  if (map == null) return new GoText(`${typeName}(nil)`);
  const entries = Object.keys(map).sort().map((key) => `${goQuote(key)}:${goQuote(String(map[key]))}`);
  return new GoText(`${typeName}{${entries.join(', ')}}`);
}

/** `[]string{"a", "b"}`, or the nil form. */
export function goStringSlice(items: readonly string[] | null | undefined, typeName = '[]string'): GoText {
  if (items == null) return new GoText(`${typeName}(nil)`);
  return new GoText(`${typeName}{${items.map(goQuote).join(', ')}}`);
}

/** More bytes than this are not quoted: each takes six characters. */
const BYTES_MAX = 16_384;

/** `[]byte{0x6e, 0x6f}`, or the nil form. Long values are cut. */
export function goBytes(bytes: Uint8Array | null | undefined): GoText {
  if (bytes == null || bytes.length === 0) return new GoText(bytes == null ? '[]byte(nil)' : '[]byte{}');
  const shown = Array.from(bytes.subarray(0, BYTES_MAX), (b) => `0x${b.toString(16)}`);
  return new GoText(`[]byte{${shown.join(', ')}${bytes.length > BYTES_MAX ? ', ...' : ''}}`);
}

/** `intstr.IntOrString{Type:1, IntVal:0, StrVal:"50%"}`. */
export function goIntOrString(value: number | string | null | undefined): GoText {
  const isText = typeof value === 'string';
  const number = isText ? 0 : (value ?? 0);
  return new GoText(`intstr.IntOrString{Type:${isText ? 1 : 0}, IntVal:${number}, StrVal:${goQuote(isText ? value : '')}}`);
}

interface SelectorShape {
  matchLabels?: Record<string, string> | null;
  matchExpressions?: readonly { key?: string; operator?: string; values?: readonly string[] | null }[] | null;
}

/** `v1.LabelSelector{MatchLabels:..., MatchExpressions:...}`. */
export function goLabelSelector(selector: SelectorShape): GoText {
  const expressions = selector.matchExpressions;
  const typeName = '[]v1.LabelSelectorRequirement';
  const printed = expressions == null
    ? `${typeName}(nil)`
    : `${typeName}{${expressions.map((e) => `v1.LabelSelectorRequirement{Key:${goQuote(e.key ?? '')}, Operator:${
      goQuote(e.operator ?? '')}, Values:${goStringSlice(e.values).text}}`).join(', ')}}`;
  return new GoText(`v1.LabelSelector{MatchLabels:${goStringMap(selector.matchLabels).text}, MatchExpressions:${printed}}`);
}

/** A rejected value as it stands in an error: strings quoted, numbers and booleans plain, absent values as `"null"`. */
export function goValue(value: unknown, depth = 0): string {
  switch (typeof value) {
    case 'string': return goQuote(value);
    case 'number': case 'bigint': case 'boolean': return String(value);
    case 'object': break;
    default: return '"null"';
  }
  if (value === null) return '"null"';
  if (depth > PLAIN_DEPTH_MAX) return '...';
  if (value instanceof GoText) return value.text;
  if (value instanceof Uint8Array) return goBytes(value).text;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === 'string')) return goStringSlice(value).text;
    return `[]interface {}{${value.map((item) => goValue(item, depth + 1)).join(', ')}}`;
  }
  if (typeof value.toString === 'function' && value.toString !== Object.prototype.toString) return String(value);
  const entries = Object.entries(value);
  if (entries.every(([, item]) => typeof item === 'string')) return goStringMap(value as Record<string, string>).text;
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${entries.map(([key, item]) => `${goQuote(key)}:${goValue(item, depth + 1)}`).join(', ')}}`;
}

/** A JSON value as the verb `%v` prints it: `map[a:1 b:[x y]]`, keys sorted, absent values as `<nil>`. Cut off far down. */
export function goPlain(value: unknown, depth = 0): string {
  if (value == null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (depth > PLAIN_DEPTH_MAX) return '...';
  if (Array.isArray(value)) return `[${value.map((item) => goPlain(item, depth + 1)).join(' ')}]`;
  const source = value as Record<string, unknown>;
  return `map[${Object.keys(source).sort().map((key) => `${key}:${goPlain(source[key], depth + 1)}`).join(' ')}]`;
}

/** The Go type of a decoded JSON value. */
export function goTypeName(value: unknown): string {
  if (value == null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object': return 'map[string]interface {}';
    case 'boolean': return 'bool';
    case 'number': return Number.isInteger(value) ? 'int64' : 'float64';
    case 'bigint': return 'int64';
    default: return 'string';
  }
}
