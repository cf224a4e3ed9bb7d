import type { MessageSchema } from '../apimachinery/schema.ts';

type Json = Record<string, unknown>;

/** A list of a struct: the value of an empty one is null, or absent. */
interface ListField {
  readonly name: string;
  readonly omitEmpty: boolean;
}

/** The lists of a struct, and the structs in it. */
interface Level {
  readonly lists: readonly ListField[];
  readonly below: readonly { readonly name: string; readonly level: Level }[];
}

/**
 * Gives empty lists the value that they have after protobuf, so that an object is the same before and after it was
 * stored. Lists within lists and maps are left alone: hardly any of them may be empty.
 */
export class EmptyLists {
  private readonly root: Level | undefined;

  constructor(schema: MessageSchema) {
    this.root = levelOf(schema, []);
  }

  /** Changes `object` in place. */
  drop(object: object): void {
    if (this.root !== undefined) dropAt(object as Json, this.root);
  }
}

/** Undefined where there are no lists. Types that contain themselves are followed once. */
function levelOf(schema: MessageSchema, above: readonly MessageSchema[]): Level | undefined {
  const path = [...above, schema];
  const lists = schema.fields
    .filter(({ card }) => card === 'list')
    .map(({ name, omitEmpty = false }) => ({ name, omitEmpty }));
  const below: { name: string; level: Level }[] = [];
  for (const { name, card, kind, message } of schema.fields) {
    if (card !== 'single' || kind !== 'message' || message === undefined || path.includes(message)) continue;
    const level = levelOf(message, path);
    if (level !== undefined) below.push({ name, level });
  }
  return lists.length === 0 && below.length === 0 ? undefined : { lists, below };
}

function dropAt(object: Json, { lists, below }: Level): void {
  for (const { name, omitEmpty } of lists) {
    const value = object[name];
    if (!Array.isArray(value) || value.length > 0) continue;
    if (omitEmpty) delete object[name];
    else object[name] = null;
  }
  for (const { name, level } of below) {
    const value = object[name];
    if (typeof value === 'object' && value !== null) dropAt(value as Json, level);
  }
}
