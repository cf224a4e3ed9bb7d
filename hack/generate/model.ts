import type { Cardinality, FieldKind } from '../../pkg/apimachinery/schema.ts';

/** One field as declared in `proto/`, in declaration order, which is the order of JSON output. */
export interface Field {
  /** JSON name; empty for an inline field. */
  name: string;
  num: number;
  kind: FieldKind;
  /** Full name of the message, when `kind` is `message` (or the wrapper, when it is `stringList`). */
  ref?: string;
  card: Cardinality;
  inline: boolean;
  pointer: boolean;
  omitEmpty: boolean;
  /** The zero value of a struct is left out too. */
  omitZero: boolean;
  required: boolean;
  default?: string;
  patchStrategy?: string;
  patchMergeKey?: string;
  listType?: string;
  listMapKeys?: string[];
  mapType?: string;
  enum?: string;
  comment: string;
}

export interface Message {
  /** `package.Name`, for example `apps/v1.Deployment`. */
  fullName: string;
  /** `apps/v1`. */
  pkg: string;
  name: string;
  group: string;
  version: string;
  isKind: boolean;
  namespaced: boolean;
  jsonList: boolean;
  jsonOnly: boolean;
  /** Equal values in many objects are kept once, where objects are kept. */
  shared: boolean;
  fields: Field[];
  comment: string;
}

/** Everything that `proto/` declares. */
export interface Model {
  messages: Map<string, Message>;
  /** String types by full name, with their known values. */
  constants: Map<string, string[]>;
}
