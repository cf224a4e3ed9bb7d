import { escapeMarkup } from './escape-markup.ts';
import { stringifyJson } from './json.ts';

/** Perhaps a key that JavaScript takes for an index. */
const INDEX_KEY = /"\d{1,10}":/;
const INDEX_MAX = 2 ** 32 - 2;

/** `stringifyJson` with the characters escaped that Go escapes: JSON of answers and of audit events. */
export function stringifyEscaped(value: unknown, indent?: number): string {
  return escapeMarkup(stringifyJson(value, indent));
}

/**
 * JSON text with the bytes that Go's encoder writes. Keys stay in their order, but for objects that have indexes among
 * them: JavaScript has moved those to the front, and Go sorts the keys of maps as texts.
 */
export function stringifyGoJson(value: unknown): string {
  const text = stringifyJson(value);
  return escapeMarkup(INDEX_KEY.test(text) ? write(value) : text);
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.some(([key]) => isIndex(key))) members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}

function isIndex(key: string): boolean {
  return /^(0|[1-9]\d*)$/.test(key) && Number(key) <= INDEX_MAX;
}
