/**
 * The parser behind `parseJson` for texts that the native one does not handle. It uses no recursion, so that the depth
 * limit and not the call stack decides what is too deep.
 */
import { goQuote } from '../values/go-format.ts';
import { JsonError } from './json-error.ts';
import { setKey } from './own-keys.ts';

const DUPLICATES_MAX = 100;
/** Longer paths of duplicates are cut: clients choose the names in them. */
const PATH_LENGTH_MAX = 1024;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
/** The characters of a string up to its end, an escape, or an invalid one. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const SHORT_ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** An array or object under construction. */
interface Frame {
  readonly list: unknown[] | undefined;
  readonly map: object;
  /** The key that waits for its value. */
  key: string;
  /** Keys of this object that were reported as duplicates. */
  reported: Set<string> | undefined;
}

/**
 * Called with the path of a repeated key, `spec.containers[0].name`, cut where it is very long, and the keys and
 * indexes that lead to it.
 */
export type ReportDuplicate = (path: string, way: readonly (string | number)[]) => void;

export class CarefulJsonParser {
  private readonly text: string;
  private readonly depthMax: number;
  private readonly reportDuplicates: ReportDuplicate | undefined;
  private reports = 0;
  private readonly frames: Frame[] = [];
  private pos = 0;

  constructor(text: string, depthMax: number, reportDuplicates: ReportDuplicate | undefined) {
    this.text = text;
    this.depthMax = depthMax;
    this.reportDuplicates = reportDuplicates;
  }

  /** Parses the whole text to one value. Throws JsonError. */
  parse(): unknown {
    for (;;) {
      this.skipSpace();
      const char = this.text[this.pos];
      if (char === '{' || char === '[') {
        if (this.open(char)) continue;
      }
      let value = char === '{' || char === '[' ? this.close() : this.scalar();
      // Adds a finished value to its parent, which may then be finished as well.
      for (;;) {
        const frame = this.frames[this.frames.length - 1];
        if (frame === undefined) return this.finish(value);
        this.put(frame, value);
        if (this.next(frame)) break;
        value = this.close();
      }
    }
  }

  /** Enters an array or object; false when it is empty, with the closing bracket already read. */
  private open(char: '{' | '['): boolean {
    if (this.frames.length >= this.depthMax) throw new JsonError('exceeded max depth');
    this.pos++;
    const frame: Frame = { list: char === '[' ? [] : undefined, map: {}, key: '', reported: undefined };
    this.frames.push(frame);
    this.skipSpace();
    if (this.text[this.pos] === (char === '[' ? ']' : '}')) {
      this.pos++;
      return false;
    }
    if (frame.list === undefined) this.readKey(frame, 'looking for beginning of object key string');
    return true;
  }

  private close(): unknown {
    const frame = this.frames.pop();
    return frame?.list ?? frame?.map;
  }

  private put(frame: Frame, value: unknown): void {
    if (frame.list !== undefined) {
      frame.list.push(value);
      return;
    }
    // A repeated key stands where it came last, as its report does.
    if (frame.reported?.has(frame.key) === true) Reflect.deleteProperty(frame.map, frame.key);
    setKey(frame.map, frame.key, value);
  }

  /** After a value: true when another one follows in the same array or object. */
  private next(frame: Frame): boolean {
    this.skipSpace();
    const char = this.text[this.pos];
    const isList = frame.list !== undefined;
    if (char === (isList ? ']' : '}')) {
      this.pos++;
      return false;
    }
    if (char !== ',') this.fail(isList ? 'after array element' : 'after object key:value pair');
    this.pos++;
    if (!isList) this.readKey(frame, 'looking for beginning of object key string');
    return true;
  }

  private readKey(frame: Frame, context: string): void {
    this.skipSpace();
    if (this.text[this.pos] !== '"') this.fail(context);
    frame.key = this.string();
    if (this.reportDuplicates !== undefined && Object.hasOwn(frame.map, frame.key)) this.report(frame);
    this.skipSpace();
    if (this.text[this.pos] !== ':') this.fail('after object key');
    this.pos++;
  }

  /** Cheap for a key that occurs a thousand times, and for one below a very long path. */
  private report(frame: Frame): void {
    if (this.reports >= DUPLICATES_MAX || frame.reported?.has(frame.key)) return;
    (frame.reported ??= new Set()).add(frame.key);
    this.reports++;
    let path = '';
    for (const { list, key } of this.frames) {
      path += list !== undefined ? `[${list.length}]` : path === '' ? key : `.${key}`;
      if (path.length > PATH_LENGTH_MAX) break;
    }
    const way = this.frames.map(({ list, key }) => list?.length ?? key);
    this.reportDuplicates?.(path.length > PATH_LENGTH_MAX ? `${path.slice(0, PATH_LENGTH_MAX)}...` : path, way);
  }

  private scalar(): unknown {
    const char = this.text[this.pos] ?? '';
    if (char === '"') return this.string();
    if (char === 't') return this.literal('true', true);
    if (char === 'f') return this.literal('false', false);
    if (char === 'n') return this.literal('null', null);
    if (char === '-' || (char >= '0' && char <= '9')) return this.number();
    return this.fail('looking for beginning of value');
  }

  private literal<T>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      this.pos++;
      if (this.text[this.pos] !== word[i]) this.fail(`in literal ${word} (expecting ${goQuoteChar(word[i] ?? '')})`);
    }
    this.pos++;
    return value;
  }

  private number(): number | bigint {
    NUMBER.lastIndex = this.pos;
    const match = NUMBER.exec(this.text);
    if (match === null) {
      this.pos++;
      return this.fail('in numeric literal');
    }
    this.pos = NUMBER.lastIndex;
    this.checkNumberEnd(match);
    const digits = match[0];
    const value = Number(digits);
    if (match[1] === undefined && match[2] === undefined && !Number.isSafeInteger(value) && digits.length <= 20) {
      const exact = BigInt(digits);
      if (exact >= INT64_MIN && exact <= INT64_MAX) return exact;
    }
    if (!Number.isFinite(value))
      throw new JsonError(`json: cannot unmarshal number ${digits} into Go value of type float64`);
    return value;
  }

  /** Words the errors of texts that begin like a number: `1.x`, `1e`, `01`. */
  private checkNumberEnd(match: RegExpExecArray): void {
    const char = this.text[this.pos];
    if (char === '.' && match[1] === undefined && match[2] === undefined) {
      this.pos++;
      this.fail('after decimal point in numeric literal');
    }
    if ((char === 'e' || char === 'E') && match[2] === undefined) {
      this.pos++;
      if (this.text[this.pos] === '+' || this.text[this.pos] === '-') this.pos++;
      this.fail('in exponent of numeric literal');
    }
  }

  private string(): string {
    this.pos++;
    let value = '';
    let escaped = false;
    for (;;) {
      PLAIN.lastIndex = this.pos;
      PLAIN.test(this.text);
      value += this.text.slice(this.pos, PLAIN.lastIndex);
      this.pos = PLAIN.lastIndex;
      const char = this.text[this.pos];
      if (char === '"') {
        this.pos++;
        return escaped ? value.replace(LONE_SURROGATE, '\ufffd') : value;
      }
      if (char !== '\\') this.fail('in string literal');
      escaped = true;
      this.pos++;
      value += this.escape();
    }
  }

  private escape(): string {
    const char = this.text[this.pos] ?? '';
    if (char !== 'u') {
      const plain = SHORT_ESCAPES.get(char) ?? this.fail('in string escape code');
      this.pos++;
      return plain;
    }
    const start = this.pos + 1;
    for (let i = 0; i < 4; i++) {
      this.pos++;
      if (!/^[0-9a-fA-F]$/.test(this.text[this.pos] ?? '')) this.fail('in \\u hexadecimal character escape');
    }
    this.pos++;
    return String.fromCharCode(Number.parseInt(this.text.slice(start, this.pos), 16));
  }

  private finish(value: unknown): unknown {
    this.skipSpace();
    if (this.pos < this.text.length) this.fail('after top-level value');
    return value;
  }

  private skipSpace(): void {
    for (; ; this.pos++) {
      const code = this.text.charCodeAt(this.pos);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  /** The character at the position is wrong here. */
  private fail(context: string): never {
    if (this.pos >= this.text.length) throw new JsonError('unexpected end of JSON input');
    throw new JsonError(`invalid character ${goQuoteChar(this.wrongByte())} ${context}`);
  }

  /** Go reads bytes: of a longer UTF-8 sequence it names the first one. */
  private wrongByte(): string {
    const char = String.fromCodePoint(this.text.codePointAt(this.pos) ?? 0);
    return String.fromCharCode(Buffer.from(char)[0] ?? 0);
  }
}

function goQuoteChar(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return `'"'`;
  return `'${goQuote(char).slice(1, -1)}'`;
}
