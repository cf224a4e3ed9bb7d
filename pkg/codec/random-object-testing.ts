import fc from 'fast-check';
import type { FieldSchema, MessageSchema } from '../apimachinery/schema.ts';

/** Random JSON objects of an API type, for property tests: canonical values, as `normalize` returns them. */
const DEPTH_MAX = 4;

export function arbitraryObject(schema: MessageSchema, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  const fields = schema.fields
    .filter((f) => f.name !== 'kind' || schema.field('apiVersion') === undefined)
    .filter((f) => f.name !== 'apiVersion' || schema.field('kind') === undefined);
  const entries = fields
    .filter((f) => depth < DEPTH_MAX || !f.kind.startsWith('schema'))
    .map((f) => [f.name, arbitraryField(f, depth)] as const);
  // Some fields at a time: whole objects would be as large as all of their types together.
  return fc
    .subarray(entries, { minLength: 0, maxLength: Math.min(entries.length, depth === 0 ? 12 : 4) })
    .chain((chosen) => fc.record(Object.fromEntries(chosen)));
}

function arbitraryField(field: FieldSchema, depth: number): fc.Arbitrary<unknown> {
  const value = arbitraryValue(field, depth);
  if (field.card === 'list') return fc.array(value, { minLength: 1, maxLength: 3 });
  if (field.card === 'map')
    return fc.dictionary(
      fc.oneof(fc.string({ minLength: 1, maxLength: 8 }), fc.constantFrom('__proto__', 'constructor', 'é', '😀')),
      value,
      { minKeys: 1, maxKeys: 3, noNullPrototype: true },
    );
  return value;
}

const seconds = fc.integer({ min: -62135596799, max: 253402300799 });
const iso = (s: number): string => `${new Date(s * 1000).toISOString().slice(0, 19)}Z`;

function arbitraryValue(field: FieldSchema, depth: number): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'string':
      return fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom('é', '😀 text', 'line\nbreak'));
    case 'bool':
      return fc.constant(true);
    case 'int32':
      return fc.integer().filter((n) => n !== 0);
    case 'int64':
      return fc.oneof(
        fc.integer().filter((n) => n !== 0),
        fc.constantFrom(2 ** 40, -(2 ** 50), 9223372036854775807n, -9223372036854775808n, 9007199254740993n),
      );
    case 'double':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => n !== 0);
    case 'bytes':
      return fc.uint8Array({ minLength: 1, maxLength: 9 }).map((b) => Buffer.from(b).toString('base64'));
    case 'time':
      return seconds.filter((s) => s !== -62135596800).map(iso);
    case 'microTime':
      return fc
        .tuple(seconds, fc.integer({ min: 0, max: 999_999 }))
        .map(([s, micros]) => `${iso(s).slice(0, 19)}.${String(micros).padStart(6, '0')}Z`);
    case 'duration':
      return fc.constantFrom('1s', '5m0s', '1h30m0s', '250ms');
    case 'quantity':
      return fc.constantFrom('1', '100m', '128Mi', '1500m', '2Gi', '1e3', '500k');
    case 'intOrString':
      return fc.oneof(fc.integer(), fc.constantFrom('25%', 'http', ''));
    case 'raw':
      return fc.constantFrom<unknown>({ a: 1, b: ['x', null] }, 'text', 7, [1, 2], { 'f:spec': {} });
    case 'stringList':
      return fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 });
    case 'schemaOrBool':
      return fc.oneof(fc.boolean(), arbitraryMessage(field, depth));
    case 'schemaOrArray':
      return fc.oneof(
        arbitraryMessage(field, depth),
        fc.array(arbitraryMessage(field, depth), { minLength: 1, maxLength: 2 }),
      );
    case 'schemaOrStringArray':
      return fc.oneof(
        arbitraryMessage(field, depth),
        fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 2 }),
      );
    case 'message':
      return arbitraryMessage(field, depth);
  }
}

/** Deep types stop growing: below the bound a struct has no fields set. */
function arbitraryMessage(field: FieldSchema, depth: number): fc.Arbitrary<Record<string, unknown>> {
  return depth >= DEPTH_MAX ? fc.constant({}) : arbitraryObject(field.message!, depth + 1);
}
