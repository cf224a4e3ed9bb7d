import type { FieldSchema, MessageSchema } from '../apimachinery/schema.ts';
import { nestsDeeper } from '../apimachinery/json/deep.ts';
import { jsonCopy } from '../apimachinery/json/json-copy.ts';
import { JSON_DEPTH_MAX } from '../apimachinery/json/json.ts';
import { setKey } from '../apimachinery/json/own-keys.ts';
import { canonicalizeQuantity } from '../apimachinery/values/quantity.ts';
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from '../apimachinery/values/time.ts';
import { goTypeName, unmarshalError } from './go-type-names.ts';
import { sortedKeys } from './protobuf/wire.ts';

/** Called with the path of each unknown field, `spec.containers[0].bogus`, and the keys and indexes that lead to it. */
export type ReportUnknown = (path: string, way: readonly (string | number)[]) => void;

/**
 * Brings a parsed JSON value into the canonical shape of its type: fields in the order of declaration, unknown fields
 * dropped (and reported), values checked and canonicalized, value structs and required scalars present, empty values
 * omitted where the type says so. The result equals what a write to protobuf and a read back would give, so that one
 * shape serves every later step.
 */
export interface NormalizeOptions {
  onUnknown?: ReportUnknown | undefined;
  /** Values of any shape are copied too: the result shares nothing with the input. */
  copyRaw?: boolean;
}

/**
 * Structs in the lists and maps of one object. Each costs defaulting and validation: bounds what three megabytes of
 * `{}` can cost.
 */
export const ELEMENTS_MAX = 50_000;

/** A JSON value that does not fit its field's type; `message` is worded as in Go's decoder. */
export class DecodeError extends Error {}

type Json = Record<string, unknown>;

export function normalize<T = Json>(value: unknown, schema: MessageSchema, options: NormalizeOptions = {}): T {
  return new Normalizer(options).object(value, schema, undefined) as T;
}

/**
 * The last step of the path to a value: a field, an index of a list, or the key of a map, which Go's decoder leaves out
 * of its errors.
 */
type Step = string | number | { readonly key: string };

class Normalizer {
  private readonly onUnknown: ReportUnknown | undefined;
  private readonly copyRaw: boolean;
  /**
   * The path from the root to the current value, for reports: one list that grows and shrinks, since there are hundreds
   * of values and hardly ever a report.
   */
  private readonly way: Step[] = [];
  private elements = 0;

  constructor({ onUnknown, copyRaw = false }: NormalizeOptions) {
    this.onUnknown = onUnknown;
    this.copyRaw = copyRaw;
  }

  /** `owner` names the struct that declares the value's field; undefined at the root. */
  object(value: unknown, schema: MessageSchema, owner: string | undefined): Json {
    if (value === null || value === undefined) return this.object({}, schema, owner);
    if (typeof value !== 'object' || Array.isArray(value)) return this.refuse(value, owner, goTypeName(schema.name));
    const source = value as Json;
    const out: Json = {};
    let seen = 0;
    for (const field of schema.fields) {
      const { name } = field;
      const present = Object.hasOwn(source, name);
      if (present) seen++;
      const given = present ? source[name] : undefined;
      const result =
        given === undefined || given === null ? zeroOf(field, this) : this.field(given, field, schema.name);
      if (result !== undefined) out[name] = result;
    }
    if (this.onUnknown !== undefined && seen < Object.keys(source).length) this.reportUnknown(source, schema);
    return out;
  }

  private reportUnknown(source: Json, schema: MessageSchema): void {
    for (const key of Object.keys(source)) {
      if (schema.field(key) !== undefined) continue;
      const way = [...this.way, key];
      this.onUnknown!(
        pathText(way),
        way.map((step) => (typeof step === 'object' ? step.key : step)),
      );
    }
  }

  /** The field's canonical value; undefined leaves it out. */
  private field(value: unknown, field: FieldSchema, owner: string): unknown {
    this.way.push(field.name);
    let result: unknown;
    if (field.card === 'list') result = this.list(value, field, owner);
    else if (field.card === 'map') result = this.map(value, field, owner);
    else result = this.single(value, field, owner);
    this.way.pop();
    return result;
  }

  private single(value: unknown, field: FieldSchema, owner: string): unknown {
    const result = this.value(value, field, owner);
    return field.omitEmpty && !field.pointer && isOmittedZero(result, field) ? undefined : result;
  }

  private list(value: unknown, field: FieldSchema, owner: string): unknown {
    if (!Array.isArray(value)) return this.refuse(value, owner, `[]${goTypeName(elementType(field))}`);
    if (value.length === 0 && field.omitEmpty) return undefined;
    return value.map((item, i) => this.element(item, field, i, owner));
  }

  private map(value: unknown, field: FieldSchema, owner: string): unknown {
    if (typeof value !== 'object' || Array.isArray(value))
      return this.refuse(value, owner, `map[string]${goTypeName(elementType(field))}`);
    const keys = sortedKeys(value as Json);
    if (keys.length === 0 && field.omitEmpty) return undefined;
    const out: Json = {};
    for (const key of keys) setKey(out, key, this.element((value as Json)[key], field, { key }, owner));
    return out;
  }

  private element(value: unknown, field: FieldSchema, step: Step, owner: string): unknown {
    if (field.kind === 'message' && ++this.elements > ELEMENTS_MAX)
      throw new DecodeError(`the object has more than ${ELEMENTS_MAX} elements in its lists and maps`);
    // Go decodes null into the zero value; a null entry of a byte map stays null.
    if (value === null || value === undefined) {
      if (field.kind === 'raw' || field.kind === 'bytes') return null;
      if (field.kind !== 'message') return zeroScalar(field);
    }
    this.way.push(step);
    const result =
      value === null || value === undefined ? this.object({}, field.message!, owner) : this.value(value, field, owner);
    this.way.pop();
    return result;
  }

  private value(value: unknown, field: FieldSchema, owner: string): unknown {
    switch (field.kind) {
      case 'string':
        return typeof value === 'string' ? value : this.refuse(value, owner, goTypeName(elementType(field)));
      case 'bool':
        return typeof value === 'boolean' ? value : this.refuse(value, owner, 'bool');
      case 'int32':
        return isInt32(value) ? value : this.refuse(value, owner, 'int32');
      case 'int64':
        return isInt64(value) ? value : this.refuse(value, owner, 'int64');
      case 'double':
        return typeof value === 'number' ? value : this.refuse(value, owner, 'float64');
      case 'bytes':
        return typeof value === 'string' ? base64(value) : this.refuse(value, owner, '[]uint8');
      case 'time':
        return typeof value === 'string' ? canonical(value, canonicalTime) : this.refuse(value, owner, 'string');
      case 'microTime':
        return typeof value === 'string' ? canonical(value, canonicalMicroTime) : this.refuse(value, owner, 'string');
      case 'duration':
        return typeof value === 'string' ? value : this.refuse(value, owner, 'string');
      case 'quantity':
        return isScalar(value)
          ? canonical(String(value), canonicalizeQuantity)
          : this.refuse(value, owner, 'resource.Quantity');
      case 'intOrString':
        return typeof value === 'string' || isInt32(value) ? value : this.refuse(value, owner, 'int32');
      case 'raw':
        if (nestsDeeper(value, JSON_DEPTH_MAX)) throw new DecodeError('exceeded max depth');
        return this.copyRaw ? jsonCopy(value).copy : value;
      case 'stringList':
        if (!Array.isArray(value)) return this.refuse(value, owner, goTypeName(elementType(field)));
        return value.map((item) => (typeof item === 'string' ? item : this.refuse(item, owner, 'string')));
      case 'schemaOrArray':
      case 'schemaOrBool':
      case 'schemaOrStringArray':
        return this.schemaChoice(value, field, owner);
      case 'message':
        return this.object(value, field.message!, owner);
    }
  }

  private schemaChoice(value: unknown, field: FieldSchema, owner: string): unknown {
    if (field.kind === 'schemaOrBool' && typeof value === 'boolean') return value;
    if (field.kind === 'schemaOrStringArray' && Array.isArray(value)) {
      return value.every((item) => typeof item === 'string')
        ? [...(value as string[])]
        : this.refuse(value, owner, '[]string');
    }
    if (field.kind === 'schemaOrArray' && Array.isArray(value))
      return value.map((item, i) => this.at(i, () => this.object(item, field.message!, owner)));
    return this.object(value, field.message!, owner);
  }

  private at<T>(step: Step, make: () => T): T {
    this.way.push(step);
    const made = make();
    this.way.pop();
    return made;
  }

  /** Go's decoder names fields without indexes and map keys. */
  private refuse(value: unknown, owner: string | undefined, type: string): never {
    const names = this.way.filter((step) => typeof step === 'string');
    throw new DecodeError(unmarshalError(value, owner, names.join('.'), type));
  }
}

function elementType(field: FieldSchema): string {
  return field.enum ?? field.refName ?? field.kind;
}

function pathText(way: readonly Step[]): string {
  let text = '';
  for (const step of way) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${typeof step === 'string' ? step : step.key}`;
  }
  return text;
}

function isInt32(value: unknown): value is number {
  return typeof value === 'number' && (value | 0) === value;
}

function isInt64(value: unknown): value is number | bigint {
  return typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
}

function isScalar(value: unknown): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

function base64(value: string): string {
  const text = value.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9+/=]|=(?!=?$)/.exec(text);
  if (bad !== null) throw new DecodeError(`illegal base64 data at input byte ${bad.index}`);
  if (text.length % 4 !== 0)
    throw new DecodeError(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
  return text;
}

function canonical(value: string, form: (value: string) => string): string {
  try {
    return form(value);
  } catch (e) {
    throw new DecodeError((e as Error).message);
  }
}

function canonicalTime(text: string): string {
  return formatTime(parseTime(text));
}

function canonicalMicroTime(text: string): string {
  return formatMicroTime(parseMicroTime(text));
}

/** The JSON value of an absent field: undefined when it is left out. */
function zeroOf(field: FieldSchema, normalizer: Normalizer): unknown {
  if (field.pointer || field.card !== 'single') return field.omitEmpty ? undefined : null;
  switch (field.kind) {
    case 'message':
      return normalizer.object({}, field.message!, undefined);
    case 'time':
    case 'microTime':
    case 'raw':
      return field.omitZero ? undefined : null;
    case 'stringList':
      return field.omitEmpty ? undefined : null;
    case 'quantity':
    case 'intOrString':
    case 'duration':
      return zeroScalar(field);
    default:
      return field.omitEmpty ? undefined : zeroScalar(field);
  }
}

function zeroScalar(field: FieldSchema): unknown {
  switch (field.kind) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'stringList':
      return [];
    default:
      return null;
  }
}

function isOmittedZero(value: unknown, field: FieldSchema): boolean {
  switch (field.kind) {
    case 'string':
    case 'bytes':
      return value === '';
    case 'bool':
      return value === false;
    case 'int32':
    case 'int64':
    case 'double':
      return value === 0;
    default:
      return false;
  }
}
