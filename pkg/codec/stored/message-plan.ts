import type { Cardinality, FieldKind } from '../../apimachinery/schema.ts';
import { wireRows } from '../../generated/wire-rows.ts';
import { jsonKey, type JsonKey } from './json-key.ts';
import { compileRule, type CompiledRule } from './settled-check.ts';
import { settledRules } from './settled-rules.ts';

/** One more than the highest field number of a message that has a rule. */
export const NUMBERS = 64;

/** Wire types by kind; all others are length-delimited. */
const wireTypes: Partial<Record<FieldKind, number>> = { bool: 0, int32: 0, int64: 0, double: 1 };

/** Kinds whose value in JSON is never absent where the field is no pointer. */
const valueKinds: readonly FieldKind[] = ['time', 'microTime', 'quantity', 'intOrString', 'duration', 'raw'];

/** Kinds whose zero value JSON leaves out where the field omits what is empty. */
const zeroKinds: readonly FieldKind[] = ['string', 'bool', 'int32', 'int64'];

const POINTER = 1;
const OMIT_EMPTY = 2;
const OMIT_ZERO = 8;
const INLINE = 16;

/**
 * One field as it is on the wire. A class, so that all have one shape: object literals of different shapes would make
 * every access slow.
 */
export class FieldPlan {
  readonly number: number;
  /** Empty for an inline struct. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly card: Cardinality;
  readonly wireType: number;
  /** Of the values of a map. */
  readonly valueWireType: number;
  /** The generated writer writes it for any value. */
  readonly alwaysWritten: boolean;
  /** Its members are members of the message in JSON. */
  readonly isInline: boolean;
  /** The generated reader sets it whatever is on the wire, before it reads. */
  readonly alwaysInJson: boolean;
  /** JSON has no member for a zero value of the wire. */
  readonly omitsZero: boolean;
  readonly jsonKey: JsonKey;
  readonly isRawExtension: boolean;
  private readonly ref: string | undefined;
  private plan: MessagePlan | undefined;

  /** `[num, name, kind, card, flags, ref?]` */
  constructor(row: readonly unknown[]) {
    const [number, name, kind, card, flags, ref] = row as [number, string, FieldKind, Cardinality, number, string?];
    const isPointer = (flags & POINTER) !== 0;
    const omitsEmpty = (flags & OMIT_EMPTY) !== 0;
    const isValue = card === 'single' && !isPointer;
    this.number = number;
    this.name = name;
    this.kind = kind;
    this.card = card;
    this.valueWireType = wireTypes[kind] ?? 2;
    this.wireType = card === 'map' ? 2 : this.valueWireType;
    this.alwaysWritten = isValue && kind !== 'bytes' && kind !== 'stringList';
    this.isInline = (flags & INLINE) !== 0;
    this.alwaysInJson =
      !this.isInline && (flags & OMIT_ZERO) === 0 && (!omitsEmpty || (isValue && valueKinds.includes(kind)));
    this.omitsZero = (flags & OMIT_ZERO) !== 0 || (isValue && omitsEmpty && zeroKinds.includes(kind));
    this.jsonKey = jsonKey(name);
    this.isRawExtension = ref === 'runtime.RawExtension';
    this.ref = ref;
    this.plan = undefined;
  }

  /** Of a field of kind `message`. */
  get message(): MessagePlan | undefined {
    if (this.plan === undefined && this.kind === 'message') this.plan = planOf(this.ref!);
    return this.plan;
  }
}

/** What the generated writer makes of a message: its fields, and the number of those that are always present. */
export class MessagePlan {
  readonly byNumber: readonly (FieldPlan | undefined)[];
  readonly alwaysWritten: number;
  readonly rule: CompiledRule | undefined;
  /** Fields that JSON begins with, in its order, where that differs from the wire's; empty where it does not. */
  readonly jsonFirst: readonly FieldPlan[];
  /** Inline in another message it adds members before it is read, which come first there. */
  readonly addsMembersUnread: boolean;

  constructor(name: string, rows: readonly unknown[][]) {
    const fields = rows.map((row) => new FieldPlan(row));
    const byNumber: (FieldPlan | undefined)[] = [];
    for (const field of fields) byNumber[field.number] = field;
    // Holes would make every look-up slow.
    this.byNumber = Array.from(byNumber);
    this.alwaysWritten = fields.filter((field) => field.alwaysWritten).length;
    const first = fields.filter((field) => field.alwaysInJson);
    this.jsonFirst = isWireOrder(first, fields) ? [] : first;
    this.addsMembersUnread = fields.some(addsMemberUnread);
    const rule = settledRules[name];
    this.rule = rule === undefined ? undefined : compileRule(name, rule, fields);
    if (this.rule !== undefined && byNumber.length > NUMBERS) throw new Error(`${name} has too many fields for a rule`);
  }
}

function addsMemberUnread(field: FieldPlan): boolean {
  if (field.isInline) return field.message!.addsMembersUnread;
  return field.alwaysInJson || (field.kind === 'message' && field.alwaysWritten);
}

/** The first fields of JSON are those of the wire, too, and always there. */
function isWireOrder(first: readonly FieldPlan[], fields: readonly FieldPlan[]): boolean {
  const byNumber = [...fields].sort((a, b) => a.number - b.number);
  return first.every((field, i) => field.alwaysWritten && byNumber[i] === field);
}

// Process-wide: plans depend on generated rows alone.
const plans = new Map<string, MessagePlan>();

/** The plan of `package.Name`; asserts that it exists. */
export function planOf(name: string): MessagePlan {
  let plan = plans.get(name);
  if (plan === undefined) {
    const rows = Object.hasOwn(wireRows, name) ? wireRows[name] : undefined;
    if (rows === undefined) throw new Error(`no message ${name}`);
    plans.set(name, (plan = new MessagePlan(name, rows)));
  }
  return plan;
}
