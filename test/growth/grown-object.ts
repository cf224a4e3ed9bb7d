import type { FieldSchema, MessageSchema } from '../../pkg/apimachinery/schema.ts';
import type { Place } from './places.ts';

/** Whether the values that fill a list are all equal, or differ in each text and number. */
export type Filling = 'equal' | 'distinct';

// `any`: bodies of every kind.
type Body = any;

/** The sample with `count` values at the place; a text has that many characters. The sample stays as it is. */
export function grownObject(sample: Body, place: Place, count: number, filling: Filling): Body {
  const root = structuredClone(sample);
  let at = root;
  for (const field of place.way) at = enter(at, field);
  at[place.field.name] = grownValue(at[place.field.name], place.field, count, filling);
  return root;
}

/** The object below a field; made where the sample has none. */
function enter(at: Body, field: FieldSchema): Body {
  const { name, card, message } = field;
  if (card === 'single') return (at[name] ??= minimal(message!, 0));
  if (card === 'list') {
    if (!(at[name]?.length > 0)) at[name] = [minimal(message!, 0)];
    return at[name][0];
  }
  at[name] ??= {};
  const key = Object.keys(at[name])[0] ?? 'a';
  return (at[name][key] ??= minimal(message!, 0));
}

function grownValue(present: Body, field: FieldSchema, count: number, filling: Filling): Body {
  if (field.card === 'single') return text(field, count);
  const model = field.card === 'list' ? present?.[0] : Object.values(present ?? {})[0];
  const element = (i: number): Body => (filling === 'equal' ? elementOf(field, model, 0) : elementOf(field, model, i));
  if (field.card === 'list') return Array.from({ length: count }, (_, i) => element(i));
  // Keys of a map differ whatever its values do.
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [field.kind === 'quantity' ? `example.com/r${i}` : `k${i}`, element(i)]),
  );
}

function text({ kind }: FieldSchema, length: number): string {
  if (kind === 'quantity') return '1'.repeat(length);
  return kind === 'bytes' ? 'QUFB'.repeat(Math.ceil(length / 4)) : 'a-.'.repeat(Math.ceil(length / 3));
}

/** The i-th of many: the sample's own element made different, or one with a value for each simple field. */
function elementOf(field: FieldSchema, model: Body, i: number): Body {
  if (field.message === undefined || field.kind !== 'message') return scalar(field, i);
  const made = model === undefined ? minimal(field.message, i) : structuredClone(model);
  if (i > 0) for (const inner of field.message.fields) if (isVaried(inner, made)) made[inner.name] = scalar(inner, i);
  return made;
}

/** Enumerations keep their value. */
function isVaried({ name, card, enum: constants, kind }: FieldSchema, made: Body): boolean {
  return (
    card === 'single' &&
    constants === undefined &&
    Object.hasOwn(made, name) &&
    (kind === 'string' || kind === 'int32' || kind === 'int64' || kind === 'intOrString')
  );
}

/** With all its simple fields, so that checks have something to compare. */
function minimal(message: MessageSchema, i: number): Body {
  const made: Body = {};
  for (const field of message.fields)
    if (field.card === 'single' && field.kind !== 'message' && field.enum === undefined)
      made[field.name] = scalar(field, i);
  return made;
}

function scalar({ name, kind, enum: constants, refName }: FieldSchema, i: number): Body {
  switch (kind) {
    // Equal elements are all set, of distinct ones the first alone.
    case 'bool':
      return i === 0;
    case 'int32':
    case 'int64':
    case 'double':
      return 1 + i;
    case 'intOrString':
      return 1 + (i % 65_000);
    case 'quantity':
      return String(1 + i);
    case 'bytes':
      return 'QUFB';
    case 'time':
      return '2026-01-01T00:00:00Z';
    case 'microTime':
      return '2026-01-01T00:00:00.000000Z';
    case 'duration':
      return '1s';
    case 'string':
      return constants === undefined ? word(name, refName ?? '', i) : 'a';
    case 'stringList':
      return [`v${i}`];
    default:
      return { v: i };
  }
}

/** A text that goes through the first check of such fields. */
function word(name: string, type: string, i: number): string {
  const lower = `${name} ${type}`.toLowerCase();
  const address = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  if (/cidr|sourceranges|except/.test(lower)) return `${address}/32`;
  if (/ip\b|ips\b|addresses/.test(lower)) return address;
  if (/path/.test(lower)) return `/p${i}`;
  if (/host\b|hosts|hostname/.test(lower)) return `h${i}.example.com`;
  if (/finalizers/.test(lower)) return `example.com/f${i}`;
  return `v${i}`;
}
