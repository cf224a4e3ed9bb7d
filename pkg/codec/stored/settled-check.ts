import { canonicalizeQuantity, MILLI } from '../../apimachinery/values/quantity.ts';
import type { FieldPlan } from './message-plan.ts';
import type { SettledRule } from './settled-rules.ts';

/** Quantities that need no rounding, of those seen last. Process-wide: that depends on their text alone. */
const wholeQuantities = new Set<string>();
const WHOLE_MAX = 4096;

/** A rule by field numbers. */
export interface CompiledRule {
  readonly set: readonly number[];
  readonly present: readonly number[];
  /** Of one byte that is zero where they are present. */
  readonly unset: readonly FieldPlan[];
  readonly equal: readonly [FieldPlan, FieldPlan] | undefined;
  readonly covered: readonly [FieldPlan, FieldPlan] | undefined;
  readonly whole: readonly FieldPlan[];
  readonly notEmpty: boolean;
  /** Field number of the type. */
  readonly highest: number;
}

export function compileRule(name: string, rule: SettledRule, fields: readonly FieldPlan[]): CompiledRule {
  const fieldOf = (wanted: string): FieldPlan => {
    const field = fields.find((each) => each.name === wanted);
    if (field === undefined) throw new Error(`${name} has no ${wanted}`);
    return field;
  };
  const pair = (names: readonly [string, string] | undefined): [FieldPlan, FieldPlan] | undefined =>
    names === undefined ? undefined : [fieldOf(names[0]), fieldOf(names[1])];
  return {
    set: (rule.set ?? []).map((each) => fieldOf(each).number),
    present: (rule.present ?? []).map((each) => fieldOf(each).number),
    unset: (rule.unset ?? []).map(fieldOf),
    equal: pair(rule.equal),
    covered: pair(rule.covered),
    whole: (rule.whole ?? []).map(fieldOf),
    notEmpty: rule.notEmpty ?? false,
    highest: Math.max(...fields.map(({ number }) => number)),
  };
}

/**
 * Whether a message keeps the rule of its type. `seen` has, from `base` on and by field number, one more than where the
 * field's first value is, and 0 where it has none.
 */
export function keepsRule(rule: CompiledRule, buffer: Buffer, seen: Int32Array, base: number, end: number): boolean {
  for (const number of rule.set) {
    const at = seen[base + number]!;
    if (at === 0 || buffer[at - 1] === 0) return false;
  }
  for (const number of rule.present) if (seen[base + number] === 0) return false;
  for (const { number, wireType } of rule.unset) {
    const at = seen[base + number]!;
    if (at > 0 && (wireType !== 0 || buffer[at - 1] !== 0)) return false;
  }
  if (rule.notEmpty && isEmpty(rule, seen, base)) return false;
  if (rule.equal !== undefined) {
    const [one, other] = rule.equal;
    const text = textOf(buffer, seen[base + one.number]! - 1);
    if (text !== textOf(buffer, seen[base + other.number]! - 1, other.card === 'list')) return false;
  }
  if (rule.whole.length === 0) return true;
  for (const field of rule.whole) {
    const at = seen[base + field.number]!;
    if (at > 0 && entriesAt(buffer, field, at - 1, end).some(([, quantity]) => !isWhole(quantity))) return false;
  }
  return rule.covered === undefined || isCovered(rule.covered, buffer, seen, base, end);
}

function isEmpty({ highest }: CompiledRule, seen: Int32Array, base: number): boolean {
  for (let number = 0; number <= highest; number++) if (seen[base + number]! > 0) return false;
  return true;
}

function isCovered(
  [covered, covering]: readonly [FieldPlan, FieldPlan],
  buffer: Buffer,
  seen: Int32Array,
  base: number,
  end: number,
): boolean {
  const at = seen[base + covered.number]!;
  if (at === 0) return true;
  const others = entriesAt(buffer, covering, seen[base + covering.number]! - 1, end);
  return entriesAt(buffer, covered, at - 1, end).every(([key]) => others.some(([other]) => other === key));
}

/** A string of less than 128 bytes, or the first string of a list's first message; '' where there is none. */
function textOf(buffer: Buffer, at: number, inList = false): string | undefined {
  if (at < 0) return '';
  if (inList) return buffer[at] === 0 ? '' : buffer[at + 1] === 10 ? textOf(buffer, at + 2) : undefined;
  const length = buffer[at]!;
  return length < 0x80 ? buffer.toString('latin1', at + 1, at + 1 + length) : undefined;
}

/** Keys and quantities of a map whose first entry is at `at`, as far as the entries are short. */
function entriesAt(buffer: Buffer, { number }: FieldPlan, at: number, end: number): [string, string][] {
  const entries: [string, string][] = [];
  const tag = (number << 3) | 2;
  for (let p = at; p >= 0 && p < end;) {
    const stop = p + 1 + buffer[p]!;
    const keyEnd = p + 3 + buffer[p + 2]!;
    const quantityAt = keyEnd + 4;
    const isShort = buffer[p]! < 0x80 && buffer[keyEnd] === 18 && buffer[keyEnd + 2] === 10;
    entries.push([
      buffer.toString('latin1', p + 3, keyEnd),
      isShort ? buffer.toString('latin1', quantityAt, stop) : 'long',
    ]);
    if (!isShort || stop >= end || buffer[stop] !== tag) break;
    p = stop + 1;
  }
  return entries;
}

function isWhole(quantity: string): boolean {
  if (wholeQuantities.has(quantity)) return true;
  try {
    if (canonicalizeQuantity(quantity, MILLI) !== quantity) return false;
  } catch {
    // Decoding the object reports it.
    return false;
  }
  if (wholeQuantities.size >= WHOLE_MAX) wholeQuantities.clear();
  wholeQuantities.add(quantity);
  return true;
}
