import type { MessageSchema } from '../apimachinery/schema.ts';

/**
 * Whether two versions of a type have the same fields, read and written alike: then an object of one is also one of the
 * other, without a conversion.
 */
export function isSameShape(a: MessageSchema, b: MessageSchema): boolean {
  return compare(a, b, new Map());
}

/** `assumed`: pairs that are being compared further up, in types that contain themselves. */
function compare(a: MessageSchema, b: MessageSchema, assumed: Map<MessageSchema, MessageSchema>): boolean {
  if (a === b || assumed.get(a) === b) return true;
  if (a.fields.length !== b.fields.length) return false;
  assumed.set(a, b);
  return a.fields.every((field) => {
    const other = b.field(field.name);
    if (other === undefined || other.kind !== field.kind || other.card !== field.card) return false;
    if (other.pointer !== field.pointer || other.omitEmpty !== field.omitEmpty || other.omitZero !== field.omitZero)
      return false;
    if (field.message === undefined || other.message === undefined) return field.message === other.message;
    return compare(field.message, other.message, assumed);
  });
}
