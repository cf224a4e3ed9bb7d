import type { Cardinality, FieldKind } from '../../apimachinery/schema.ts';
import { wireRows } from '../../generated/wire-rows.ts';
import { compileRule, type CompiledRule } from './settled-check.ts';
import { settledRules } from './settled-rules.ts';

/** One more than the highest field number of a message that is checked on the wire. */
export const NUMBERS = 64;

/** Wire types by kind; all others are length-delimited. */
const wireTypes: Partial<Record<FieldKind, number>> = { bool: 0, int32: 0, int64: 0, double: 1 };

/**
 * One field as it is on the wire. A class, so that all have one shape: an object of its own for each would make every
 * access slow.
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
  /** The generated writer writes it whatever its value. */
  readonly alwaysWritten: boolean;
  private readonly ref: string | undefined;
  private plan: MessagePlan | undefined;

  /** `[num, name, kind, card, flags (1 pointer), ref?]` */
  constructor(row: readonly unknown[]) {
    const [number, name, kind, card, flags, ref] = row as [number, string, FieldKind, Cardinality, number, string?];
    this.number = number;
    this.name = name;
    this.kind = kind;
    this.card = card;
    this.valueWireType = wireTypes[kind] ?? 2;
    this.wireType = card === 'map' ? 2 : this.valueWireType;
    this.alwaysWritten = card === 'single' && (flags & 1) === 0 && kind !== 'bytes' && kind !== 'stringList';
    this.ref = ref;
    this.plan = undefined;
  }

  /** Of a field of kind `message`. */
  get message(): MessagePlan | undefined {
    if (this.plan === undefined && this.kind === 'message') this.plan = planOf(this.ref!);
    return this.plan;
  }
}

/** What the generated writer makes of a message: its fields, and how many of them are always there. */
export class MessagePlan {
  readonly byNumber: readonly (FieldPlan | undefined)[];
  readonly alwaysWritten: number;
  readonly rule: CompiledRule | undefined;

  constructor(name: string, rows: readonly unknown[][]) {
    const fields = rows.map((row) => new FieldPlan(row));
    const byNumber: (FieldPlan | undefined)[] = [];
    for (const field of fields) byNumber[field.number] = field;
    this.byNumber = byNumber;
    this.alwaysWritten = fields.filter((field) => field.alwaysWritten).length;
    const rule = settledRules[name];
    this.rule = rule === undefined ? undefined : compileRule(name, rule, fields);
  }
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
