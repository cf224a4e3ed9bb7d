import type { Cardinality, FieldKind, FieldSchema, MessageSchema } from '../apimachinery/schema.ts';
import { schemaOf } from './schemas.ts';

/** The list type of a kind, for clients only: lists are assembled from items. */
export function listFields(message: string): readonly FieldData[] {
  return [
    { name: 'apiVersion', kind: 'string' },
    { name: 'items', kind: 'message', card: 'list', ref: message, required: true },
    { name: 'kind', kind: 'string' },
    { name: 'metadata', kind: 'message', ref: 'meta/v1.ListMeta' },
  ];
}

/** One field of a table that is data: as `FieldSchema`, with messages by name. */
export interface FieldData {
  readonly name: string;
  readonly kind: FieldKind;
  /** Default `single`. */
  readonly card?: Cardinality;
  /** Message of the same data, or one in `proto/`. */
  readonly ref?: string;
  readonly required?: boolean;
  readonly description?: string;
}

/** Field tables as plain data, by message name: of a kind that is known only at run time, and of its parts. */
export type SchemaData = Readonly<Record<string, readonly FieldData[]>>;

/** The table of a message of `data`, or in `proto/`. Throws where a field names an unknown message. */
export function schemaFromData(data: SchemaData, name: string): MessageSchema {
  return new DataTables(data).of(name);
}

class DataTables {
  private readonly data: SchemaData;
  private readonly made = new Map<string, MessageSchema>();

  constructor(data: SchemaData) {
    this.data = data;
  }

  of(name: string): MessageSchema {
    if (!Object.hasOwn(this.data, name)) return schemaOf(name);
    const known = this.made.get(name);
    if (known !== undefined) return known;
    const byName = new Map<string, FieldSchema>();
    const fields: FieldSchema[] = [];
    const table: MessageSchema = { name, fields, field: (field) => byName.get(field) };
    // A message may contain itself.
    this.made.set(name, table);
    for (const data of this.data[name]!) {
      const field = this.field(data);
      fields.push(field);
      byName.set(field.name, field);
    }
    return table;
  }

  /** Absent values stay absent, as in custom resources of stock servers. */
  private field({ name, kind, card = 'single', ref, required = false }: FieldData): FieldSchema {
    return {
      name,
      kind,
      card,
      pointer: ref !== 'meta/v1.ObjectMeta',
      omitEmpty: true,
      required,
      ...(ref === undefined ? {} : { refName: ref }),
      ...(kind === 'message' ? { message: this.of(ref ?? '') } : {}),
    };
  }
}
