import type { FieldSchema, MessageSchema } from '../../pkg/apimachinery/schema.ts';

/** A field of a kind that holds as many values, or as long a text, as a client likes. */
export interface Place {
  /**
   * From the object's root; each step but the last is a message, the only element of a list, or the only value of a
   * map.
   */
  readonly way: readonly FieldSchema[];
  readonly field: FieldSchema;
}

/**
 * Every list, map and text in objects of a message, each type once on each way; `skips` says which messages are not
 * entered.
 */
export function* placesOf(
  message: MessageSchema,
  skips: (name: string) => boolean,
  way: readonly FieldSchema[] = [],
): Generator<Place> {
  for (const field of message.fields) {
    if (isUnbounded(field)) yield { way, field };
    const inner = field.message;
    if (inner === undefined || skips(inner.name) || field.kind !== 'message') continue;
    if (way.some((step) => step.message === inner)) continue;
    yield* placesOf(inner, skips, [...way, field]);
  }
}

function isUnbounded({ name, card, kind }: FieldSchema): boolean {
  if (card !== 'single') return true;
  return (
    (kind === 'string' || kind === 'bytes' || kind === 'quantity' || kind === 'intOrString') &&
    name !== 'apiVersion' &&
    name !== 'kind'
  );
}

export function placeText({ way, field }: Place): string {
  return [...way, field]
    .map(({ name, card }) => `${name}${card === 'list' ? '[]' : card === 'map' ? '{}' : ''}`)
    .join('.');
}
