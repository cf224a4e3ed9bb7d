/**
 * JSON parsing and writing. The native parser does the work wherever it is right; a second parser handles the texts on
 * which it is not: integers beyond 2^53 (they become BigInt), numbers that no double holds, broken surrogate pairs, and
 * strict validation, which must see duplicate keys. Its errors are worded as in Go's decoder. Invalid UTF-8 is refused.
 */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { CarefulJsonParser, type ReportDuplicate } from './json-parser.ts';
import { JsonError } from './json-error.ts';

export { JsonError } from './json-error.ts';

/**
 * How deep arrays and objects may nest. Kubernetes allows 10,000; here parsed values must also be written, copied to
 * threads and put into YAML by recursive functions, and no API type nests deeper than a few dozen levels.
 */
export const JSON_DEPTH_MAX = 500;

export interface ParseJsonOptions {
  depthMax?: number;
  /**
   * Called once for each path whose key occurs again in its object, as `spec.containers[0].name`; 100 paths at most.
   */
  reportDuplicates?: ReportDuplicate;
}

/** Numbers that the native parser would not keep: long digit runs, exponents that overflow. */
const NEEDS_CARE = /[0-9](?:[0-9]{15}|[eE]\+?[0-9]{3})/;

function needsCare(text: string): boolean {
  // A surrogate that is written as an escape may be unpaired.
  return NEEDS_CARE.test(text) || text.includes('\\ud') || text.includes('\\uD');
}

/** Parses one JSON text. Integers beyond 2^53 that fit 64 bits come as BigInt. Throws JsonError. */
export function parseJson(input: Uint8Array | string, options: ParseJsonOptions = {}): unknown {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  const { depthMax = JSON_DEPTH_MAX, reportDuplicates } = options;
  if (!needsCare(text)) {
    const members = reportDuplicates !== undefined || text.length > depthMax ? countMembers(text, depthMax) : 0;
    const value = parseNatively(text);
    // As many members in the value as in the text: no key came twice.
    if (value !== FAULTY && (reportDuplicates === undefined || countKeys(value) === members)) return value;
  }
  // Words the error, or finds the duplicates.
  return new CarefulJsonParser(text, depthMax, reportDuplicates).parse();
}

const FAULTY = Symbol('no JSON');

function parseNatively(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The second parser runs next and reports the position of the error.
    return FAULTY;
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new JsonError('invalid UTF-8 in JSON text');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Colons outside of strings: the members of all objects of a text that is JSON. Throws JsonError where brackets nest
 * deeper than `depthMax`.
 */
function countMembers(text: string, depthMax: number): number {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = endOfString(text, i);
    } else if (code === COLON) {
      members++;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > depthMax) throw new JsonError('exceeded max depth');
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    }
  }
  return members;
}

/** Keys of all objects in a value of bounded depth. */
function countKeys(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const key of Object.keys(value)) count += 1 + countKeys((value as Record<string, unknown>)[key]);
  return count;
}

/** The index of the quote that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

// A string that no client can know replaces a BigInt while the native writer runs.
const MARK = `bigint-${randomBytes(16).toString('hex')}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/**
 * Writes JSON, compact or `indent` spaces a level; BigInt as plain digits. `undefined` values are left out, as
 * JSON.stringify does.
 */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError) || !/BigInt/.test(error.message)) throw error;
  }
  return JSON.stringify(
    value,
    (_key, item: unknown) => (typeof item === 'bigint' ? `${MARK}${item}` : item),
    indent,
  ).replaceAll(MARKED, '$1');
}
