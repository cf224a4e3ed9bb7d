/**
 * Field tables of API types, generated from `proto/`. One table serves server-side field validation, JSON
 * normalization, strategic merge patch and OpenAPI.
 */

/** What one value of a field is. `message` has its own table in `FieldSchema.message`. */
export type FieldKind =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  /** Base64 in JSON. */
  | 'bytes'
  /** RFC 3339 in whole seconds. */
  | 'time'
  /** RFC 3339 with six fractional digits. */
  | 'microTime'
  /** Go duration as a string. */
  | 'duration'
  /** Canonical quantity string. */
  | 'quantity'
  | 'intOrString'
  /** Any JSON value, kept unchanged: RawExtension, FieldsV1, JSON of schemas. */
  | 'raw'
  /** A list of strings that is a message of its own in protobuf. */
  | 'stringList'
  /** The either-or types of custom resource schemas. */
  | 'schemaOrArray'
  | 'schemaOrBool'
  | 'schemaOrStringArray'
  | 'message';

/** How often the value occurs. Maps always have string keys. */
export type Cardinality = 'single' | 'list' | 'map';

/** One field in its JSON shape. Inline structs are already hoisted: their fields stand in the parent's table. */
export interface FieldSchema {
  readonly name: string;
  readonly kind: FieldKind;
  readonly card: Cardinality;
  /** The table of the message, when `kind` is `message` (or of the schema, for the either-or types). */
  readonly message?: MessageSchema;
  /** Full name of the referenced message, also where `kind` is one of the special values. */
  readonly refName?: string;
  /** Optional by presence: an absent value differs from the zero value. */
  readonly pointer?: boolean;
  /** Zero values are left out of JSON. */
  readonly omitEmpty?: boolean;
  /** The zero value is left out where `omitEmpty` alone would write it: an unset time. */
  readonly omitZero?: boolean;
  readonly required?: boolean;
  /** `merge`, `replace`, `retainKeys` or two of them joined by a comma. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  /** The default as JSON text. */
  readonly default?: string;
  /** The set of string constants, `package.Name`. */
  readonly enum?: string;
}

/** One API struct. */
export interface MessageSchema {
  /** `package.Name`, for example `apps/v1.Deployment`. */
  readonly name: string;
  readonly fields: readonly FieldSchema[];
  /** The field of this JSON name. */
  field(name: string): FieldSchema | undefined;
}
