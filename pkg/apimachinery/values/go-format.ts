import { escapeMarkup } from '../json/escape-markup.ts';

/**
 * Values as Go programs print them, in the forms of its `fmt` and `json` packages. Validation errors quote rejected
 * values this way, and clients print and match them.
 */

const SHORT_ESCAPES: Record<string, string> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
/** Values are printed into errors this deep; values from clients may nest much deeper. */
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

/** A value whose Go form is known to the caller, such as a typed struct: printed unchanged. */
export class GoText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Wraps ready text, for example `goText('core.PodSpec{...}')` for values that would flood a message. */
export function goText(text: string): GoText {
  return new GoText(text);
}

/**
 * A struct in JSON: all of its fields in their order, under their names in Go where the type has no JSON form of its
 * own.
 */
export function goStruct(fields: Readonly<Record<string, unknown>>): GoText {
  return new GoText(
    `{${Object.entries(fields)
      .map(([name, value]) => `${goJson(name)}:${goValue(value, 0, goJson)}`)
      .join(',')}}`,
  );
}

/** `{"a":"b"}` with sorted keys, or `null`. */
export function goStringMap(map: Readonly<Record<string, string>> | null | undefined): GoText {
  if (map == null) return new GoText('null');
  const entries = Object.keys(map)
    .sort()
    .map((key) => `${goJson(key)}:${goJson(String(map[key]))}`);
  return new GoText(`{${entries.join(',')}}`);
}

/** `["a","b"]`, or `null`. */
export function goStringSlice(items: readonly string[] | null | undefined): GoText {
  return new GoText(items == null ? 'null' : `[${items.map(goJson).join(',')}]`);
}

/** More bytes than this are not quoted. */
const BYTES_MAX = 16_384;

/** Bytes as JSON has them, in base64, or `null`. Long values are cut. */
export function goBytes(bytes: Uint8Array | null | undefined): GoText {
  if (bytes == null) return new GoText('null');
  const shown = Buffer.from(bytes.subarray(0, BYTES_MAX)).toString('base64');
  return new GoText(`"${shown}${bytes.length > BYTES_MAX ? '...' : ''}"`);
}

/** `25` or `"50%"`. */
export function goIntOrString(value: number | string | null | undefined): GoText {
  return new GoText(typeof value === 'string' ? goJson(value) : String(value ?? 0));
}

interface SelectorShape {
  matchLabels?: Record<string, string> | null;
  matchExpressions?: readonly { key?: string; operator?: string; values?: readonly string[] | null }[] | null;
}

/** `{"matchLabels":{"a":"b"}}`: empty fields are left out. */
export function goLabelSelector({ matchLabels, matchExpressions }: SelectorShape): GoText {
  const parts: string[] = [];
  if (matchLabels != null && Object.keys(matchLabels).length > 0)
    parts.push(`"matchLabels":${goStringMap(matchLabels).text}`);
  if (matchExpressions != null && matchExpressions.length > 0)
    parts.push(`"matchExpressions":[${matchExpressions.map(requirementText).join(',')}]`);
  return new GoText(`{${parts.join(',')}}`);
}

function requirementText({
  key = '',
  operator = '',
  values,
}: NonNullable<SelectorShape['matchExpressions']>[number]): string {
  return `{"key":${goJson(key)},"operator":${goJson(operator)}${values == null || values.length === 0 ? '' : `,"values":${goStringSlice(values).text}`}}`;
}

/** A string in JSON as Go writes it: characters that could end a script in a page are escaped. */
function goJson(text: string): string {
  return escapeMarkup(JSON.stringify(text));
}

/** A rejected value in an error: strings quoted, all else as JSON. `quote` is that of strings. */
export function goValue(value: unknown, depth = 0, quote = goQuote): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      break;
    default:
      return 'null';
  }
  if (value === null) return 'null';
  if (depth > PLAIN_DEPTH_MAX) return '...';
  if (value instanceof GoText) return value.text;
  if (value instanceof Uint8Array) return goBytes(value).text;
  if (Array.isArray(value)) return `[${value.map((item) => goValue(item, depth + 1, goJson)).join(',')}]`;
  if (typeof value.toString === 'function' && value.toString !== Object.prototype.toString)
    return goJson(String(value));
  const source = value as Record<string, unknown>;
  return `{${Object.keys(source)
    .sort()
    .map((key) => `${goJson(key)}:${goValue(source[key], depth + 1, goJson)}`)
    .join(',')}}`;
}

/**
 * A JSON value as the verb `%v` prints it: `map[a:1 b:[x y]]`, keys sorted, absent values as `<nil>`. Cut off far down.
 */
export function goPlain(value: unknown, depth = 0): string {
  if (value == null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (depth > PLAIN_DEPTH_MAX) return '...';
  if (Array.isArray(value)) return `[${value.map((item) => goPlain(item, depth + 1)).join(' ')}]`;
  const source = value as Record<string, unknown>;
  return `map[${Object.keys(source)
    .sort()
    .map((key) => `${key}:${goPlain(source[key], depth + 1)}`)
    .join(' ')}]`;
}

/** The Go type of a decoded JSON value. */
export function goTypeName(value: unknown): string {
  if (value == null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'bigint':
      return 'int64';
    default:
      return 'string';
  }
}
