import type { FieldSchema, MessageSchema } from '../apimachinery/schema.ts';
import { nestsDeeper } from '../apimachinery/deep.ts';
import { JSON_DEPTH_MAX } from '../apimachinery/json.ts';
import { setKey } from '../apimachinery/own-keys.ts';
import { canonicalizeQuantity } from '../apimachinery/quantity.ts';
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from '../apimachinery/time.ts';
import { goTypeName, unmarshalError } from './go-type-names.ts';
import { sortedKeys } from './protobuf/wire.ts';

/**
 * Brings a parsed JSON value into the canonical shape of its type: fields in the order of declaration, unknown fields dropped (and
 * reported), values checked and canonicalized, value structs and required scalars present, empty values omitted where the type says so.
 * The result equals what a write to protobuf and a read back would give, so that one shape serves every later step.
 */
export interface NormalizeOptions {
  /** Told the path of each unknown field, `spec.containers[0].bogus`. */
  onUnknown?: (path: string) => void;
}

/** Structs in the lists and maps of one object. Each costs defaulting and validation, which no three megabytes of `{}` shall get out of a server. */
const ELEMENTS_MAX = 50_000;

/** A JSON value that does not fit its field's type; `message` is worded as Go's decoder words it. */
export class DecodeError extends Error {}

type Json = Record<string, unknown>;

export function normalize<T = Json>(value: unknown, schema: MessageSchema, options: NormalizeOptions = {}): T {
  return new Normalizer(options.onUnknown).object(value, schema, undefined, undefined) as T;
}

/** The way from the root to a value; its text is made only for reports. */
interface Step {
  parent: Step | undefined;
  name: string | number;
  /** The name is a key of a map, which Go's decoder leaves out of its errors. */
  isKey?: true;
}

class Normalizer {
  private readonly onUnknown: ((path: string) => void) | undefined;
  private elements = 0;

  constructor(onUnknown: ((path: string) => void) | undefined) {
    this.onUnknown = onUnknown;
  }

  object(value: unknown, schema: MessageSchema, step: Step | undefined, owner: Owner | undefined): Json {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      if (value === null || value === undefined) return this.object({}, schema, step, owner);
      throw unmarshal(value, owner, step, goTypeName(schema.name));
    }
    const source = value as Json;
    const out: Json = {};
    let seen = 0;
    for (const field of schema.fields) {
      const present = Object.hasOwn(source, field.name);
      if (present) seen++;
      const result = this.field(present ? source[field.name] : undefined, field, schema, step);
      if (result !== undefined) out[field.name] = result;
    }
    if (this.onUnknown !== undefined && seen < Object.keys(source).length) this.reportUnknown(source, schema, step);
    return out;
  }

  private reportUnknown(source: Json, schema: MessageSchema, step: Step | undefined): void {
    for (const key of Object.keys(source)) {
      if (schema.field(key) === undefined) this.onUnknown!(pathText({ parent: step, name: key }));
    }
  }

  /** The field's canonical value; undefined leaves it out. */
  private field(value: unknown, field: FieldSchema, schema: MessageSchema, parent: Step | undefined): unknown {
    if (value === undefined || value === null) return zeroOf(field, this);
    const step: Step = { parent, name: field.name };
    const owner: Owner = { field, struct: schema.name };
    if (field.card === 'list') return this.list(value, field, step, owner);
    if (field.card === 'map') return this.map(value, field, step, owner);
    const result = this.value(value, field, step, owner);
    return field.omitEmpty && !field.pointer && isOmittedZero(result, field) ? undefined : result;
  }

  private list(value: unknown, field: FieldSchema, step: Step, owner: Owner): unknown {
    if (!Array.isArray(value)) throw unmarshal(value, owner, step, `[]${goTypeName(elementType(field))}`);
    if (value.length === 0 && field.omitEmpty) return undefined;
    return value.map((item, i) => this.element(item, field, { parent: step, name: i }, owner));
  }

  private map(value: unknown, field: FieldSchema, step: Step, owner: Owner): unknown {
    if (typeof value !== 'object' || Array.isArray(value)) throw unmarshal(value, owner, step, `map[string]${goTypeName(elementType(field))}`);
    const keys = sortedKeys(value as Json);
    if (keys.length === 0 && field.omitEmpty) return undefined;
    const out: Json = {};
    for (const key of keys) setKey(out, key, this.element((value as Json)[key], field, { parent: step, name: key, isKey: true }, owner));
    return out;
  }

  private element(value: unknown, field: FieldSchema, step: Step, owner: Owner): unknown {
    if (field.kind === 'message' && ++this.elements > ELEMENTS_MAX) throw new DecodeError(`the object has more than ${ELEMENTS_MAX} elements in its lists and maps`);
    if (value !== null && value !== undefined) return this.value(value, field, step, owner);
    // Go decodes null into the zero value; a null entry of a byte map stays null.
    if (field.kind === 'raw' || field.kind === 'bytes') return null;
    if (field.kind === 'message') return this.object({}, field.message!, step, owner);
    return zeroScalar(field);
  }

  private value(value: unknown, field: FieldSchema, step: Step, owner: Owner): unknown {
    switch (field.kind) {
      case 'string':
        if (typeof value !== 'string') throw unmarshal(value, owner, step, goTypeName(elementType(field)));
        return value;
      case 'bool':
        if (typeof value !== 'boolean') throw unmarshal(value, owner, step, 'bool');
        return value;
      case 'int32': return integer(value, owner, step, 'int32', 2147483647);
      case 'int64': return integer(value, owner, step, 'int64', undefined);
      case 'double':
        if (typeof value !== 'number') throw unmarshal(value, owner, step, 'float64');
        return value;
      case 'bytes': return bytes(value, owner, step);
      case 'time': return time(value, owner, step, (text) => formatTime(parseTime(text)));
      case 'microTime': return time(value, owner, step, (text) => formatMicroTime(parseMicroTime(text)));
      case 'duration':
        if (typeof value !== 'string') throw unmarshal(value, owner, step, 'string');
        return value;
      case 'quantity': return quantity(value, owner, step);
      case 'intOrString':
        if (typeof value === 'string') return value;
        return integer(value, owner, step, 'int32', 2147483647);
      case 'raw':
        if (nestsDeeper(value, JSON_DEPTH_MAX)) throw new DecodeError('exceeded max depth');
        return value;
      case 'stringList':
        if (!Array.isArray(value)) throw unmarshal(value, owner, step, goTypeName(elementType(field)));
        return value.map((item) => {
          if (typeof item !== 'string') throw unmarshal(item, owner, step, 'string');
          return item;
        });
      case 'schemaOrArray': case 'schemaOrBool': case 'schemaOrStringArray': return this.schemaChoice(value, field, step, owner);
      case 'message': return this.object(value, field.message!, step, owner);
    }
  }

  private schemaChoice(value: unknown, field: FieldSchema, step: Step, owner: Owner): unknown {
    if (field.kind === 'schemaOrBool' && typeof value === 'boolean') return value;
    if (field.kind === 'schemaOrStringArray' && Array.isArray(value)) {
      if (value.some((item) => typeof item !== 'string')) throw unmarshal(value, owner, step, '[]string');
      return value;
    }
    if (field.kind === 'schemaOrArray' && Array.isArray(value)) return value.map((item, i) => this.object(item, field.message!, { parent: step, name: i }, owner));
    return this.object(value, field.message!, step, owner);
  }
}

/** Where a value stands: the struct that declares its field. */
interface Owner {
  field: FieldSchema;
  struct: string;
}

function elementType(field: FieldSchema): string {
  return field.enum ?? field.refName ?? field.kind;
}

function pathText(step: Step | undefined): string {
  if (step === undefined) return '';
  const before = pathText(step.parent);
  if (typeof step.name === 'number') return `${before}[${step.name}]`;
  return before === '' ? step.name : `${before}.${step.name}`;
}

/** Go's decoder names fields without indexes and map keys. */
function unmarshal(value: unknown, owner: Owner | undefined, step: Step | undefined, type: string): DecodeError {
  const names: string[] = [];
  for (let at = step; at !== undefined; at = at.parent) if (typeof at.name === 'string' && at.isKey === undefined) names.unshift(at.name);
  return new DecodeError(unmarshalError(value, owner?.struct, names.join('.'), type));
}

function integer(value: unknown, owner: Owner, step: Step, type: string, max: number | undefined): number | bigint {
  if (typeof value === 'bigint') {
    if (max === undefined && BigInt.asIntN(64, value) === value) return value;
  } else if (typeof value === 'number' && Number.isInteger(value)) {
    if (max === undefined ? Number.isSafeInteger(value) : value <= max && value >= -max - 1) return value;
  }
  throw unmarshal(value, owner, step, type);
}

function bytes(value: unknown, owner: Owner, step: Step): string {
  if (typeof value !== 'string') throw unmarshal(value, owner, step, '[]uint8');
  const text = value.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9+/=]|=(?!=?$)/.exec(text);
  if (bad !== null) throw new DecodeError(`illegal base64 data at input byte ${bad.index}`);
  if (text.length % 4 !== 0) throw new DecodeError(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
  return text;
}

function time(value: unknown, owner: Owner, step: Step, canonical: (text: string) => string): string {
  if (typeof value !== 'string') throw unmarshal(value, owner, step, 'string');
  try {
    return canonical(value);
  } catch (e) {
    throw new DecodeError((e as Error).message);
  }
}

function quantity(value: unknown, owner: Owner, step: Step): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') throw unmarshal(value, owner, step, 'resource.Quantity');
  try {
    return canonicalizeQuantity(String(value));
  } catch (e) {
    throw new DecodeError((e as Error).message);
  }
}

/** What an absent field is in JSON: undefined when it is left out. */
function zeroOf(field: FieldSchema, normalizer: Normalizer): unknown {
  if (field.pointer || field.card !== 'single') return field.omitEmpty ? undefined : null;
  switch (field.kind) {
    case 'message': return normalizer.object({}, field.message!, undefined, undefined);
    case 'time': case 'microTime': case 'raw': return null;
    case 'quantity': case 'intOrString': case 'duration': return zeroScalar(field);
    default: return field.omitEmpty ? undefined : zeroScalar(field);
  }
}

function zeroScalar(field: FieldSchema): unknown {
  switch (field.kind) {
    case 'string': return '';
    case 'bool': return false;
    case 'int32': case 'int64': case 'double': case 'intOrString': return 0;
    case 'quantity': return '0';
    case 'duration': return '0s';
    case 'stringList': return [];
    default: return null;
  }
}

function isOmittedZero(value: unknown, field: FieldSchema): boolean {
  switch (field.kind) {
    case 'string': case 'bytes': return value === '';
    case 'bool': return value === false;
    case 'int32': case 'int64': case 'double': return value === 0;
    default: return false;
  }
}
