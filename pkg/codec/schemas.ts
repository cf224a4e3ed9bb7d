import type { Cardinality, FieldKind, FieldSchema, MessageSchema } from '../apimachinery/schema.ts';
import { constants, parseSchemaRows } from '../generated/schema-rows.ts';

/**
 * Field tables by message name. Rows are turned into tables when first asked for, since a process touches a fraction of
 * all types.
 *
 * Process-wide: tables depend on generated rows alone.
 */
const tables = new Map<string, MessageSchema>();
let parsed: Record<string, unknown[][]> | undefined;

/** Parsed when first asked for: a program beside a server has no use for its 1.5 MB. */
function schemaRows(): Readonly<Record<string, unknown[][]>> {
  parsed ??= parseSchemaRows();
  return parsed;
}

/** The table of `package.Name`; asserts that it exists. */
export function schemaOf(name: string): MessageSchema {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const rows = hasSchema(name) ? schemaRows()[name] : undefined;
  if (rows === undefined) throw new Error(`no message ${name}`);
  const table = new Table(name, rows);
  tables.set(name, table);
  return table;
}

export function hasSchema(name: string): boolean {
  return Object.hasOwn(schemaRows(), name);
}

/** The known values of a string type, `package.Name`. */
export function constantsOf(name: string): readonly string[] {
  return constants[name] ?? [];
}

/** Names of all messages that have tables. */
export function schemaNames(): string[] {
  return Object.keys(schemaRows());
}

class Table implements MessageSchema {
  readonly name: string;
  readonly fields: readonly FieldSchema[];
  private readonly byName: Map<string, FieldSchema>;

  constructor(name: string, rows: readonly unknown[][]) {
    this.name = name;
    this.fields = rows.map((row) => new Field(row));
    this.byName = new Map(this.fields.map((f) => [f.name, f]));
  }

  field(name: string): FieldSchema | undefined {
    return this.byName.get(name);
  }
}

interface Extras {
  patchStrategy?: string;
  patchMergeKey?: string;
  listType?: string;
  listMapKeys?: string[];
  mapType?: string;
  default?: string;
  enum?: string;
}

/** Row: `[name, kind, card, flags (1 pointer, 2 omitEmpty, 4 required, 8 omitZero), ref or 0, extras]`. */
class Field implements FieldSchema {
  readonly name: string;
  readonly kind: FieldKind;
  readonly card: Cardinality;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly required: boolean;
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[] | undefined;
  readonly mapType: string | undefined;
  readonly default: string | undefined;
  readonly enum: string | undefined;
  private readonly ref: string | undefined;
  private table: MessageSchema | undefined;

  constructor(row: readonly unknown[]) {
    const [name, kind, card, flags, ref, extras = {}] = row as [
      string,
      FieldKind,
      Cardinality,
      number,
      string | 0 | undefined,
      Extras | undefined,
    ];
    this.name = name;
    this.kind = kind;
    this.card = card;
    this.pointer = (flags & 1) !== 0;
    this.omitEmpty = (flags & 2) !== 0;
    this.required = (flags & 4) !== 0;
    this.omitZero = (flags & 8) !== 0;
    this.patchStrategy = extras.patchStrategy;
    this.patchMergeKey = extras.patchMergeKey;
    this.listType = extras.listType;
    this.listMapKeys = extras.listMapKeys;
    this.mapType = extras.mapType;
    this.default = extras.default;
    this.enum = extras.enum;
    this.ref = ref === 0 ? undefined : ref;
    this.table = undefined;
  }

  get message(): MessageSchema | undefined {
    if (this.ref === undefined || (this.kind !== 'message' && !this.kind.startsWith('schemaOr'))) return undefined;
    this.table ??= schemaOf(tableName(this.kind, this.ref));
    return this.table;
  }

  /** Full name of the referenced message, special types included. */
  get refName(): string | undefined {
    return this.ref;
  }
}

/** The either-or types of schemas hold schemas. */
function tableName(kind: FieldKind, ref: string): string {
  return kind.startsWith('schemaOr') ? `${ref.slice(0, ref.lastIndexOf('.'))}.JSONSchemaProps` : ref;
}
